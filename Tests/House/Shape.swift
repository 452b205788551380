// How long things are and how they begin. The measures are those of formatted code: a body opens at the end of a line and
// is closed by the brace that matches.

enum LineLimit {
    static let file = 500
    static let function = 70
}

/// Files of code over the limit, and those that do not say first why they exist.
func fileFindings(_ sources: [Source]) -> [Finding] {
    var findings: [Finding] = []
    for source in sources where source.isSwift || source.isC {
        if source.lines.count > LineLimit.file {
            let message = "\(source.lines.count) lines, over \(LineLimit.file)"
            findings.append(Finding(path: source.path, line: LineLimit.file + 1, message: message))
        }
        let first = source.lines.first ?? ""
        if !source.isSeat, !first.hasPrefix("//"), !first.hasPrefix("/*") {
            findings.append(Finding(path: source.path, line: 1, message: "opens with no comment"))
        }
    }
    return findings
}

struct Body: Equatable {
    /// From 1: the line of the declaration's keyword, the line of the opening brace and that of the closing one.
    var declaration: Int
    var opening: Int
    var closing: Int
    var lines: Int { closing - declaration + 1 }
}

func functionFindings(_ sources: [Source]) -> [Finding] {
    var findings: [Finding] = []
    for source in sources where source.isSwift {
        for body in bodies(source.code) where body.lines > LineLimit.function {
            let message = "\(body.lines) lines in one function, over \(LineLimit.function)"
            findings.append(Finding(path: source.path, line: body.declaration, message: message))
        }
    }
    return findings
}

/// The bodies of functions, initializers, subscripts and computed properties in code without comments and strings.
func bodies(_ code: [String]) -> [Body] {
    code.indices.compactMap { index in
        guard let offset = declarationOffset(code[index]) else { return nil }
        return body(code, declaredAt: index, offset)
    }
}

/// The byte offset of `func`, `init` and the like where the line declares one.
func declarationOffset(_ line: String) -> Int? {
    if let offset = wordOffset(line, "func") { return offset }
    for word in wordsWithoutAttributes(line) {
        let head = word.prefix { isWordByte($0.utf8.first ?? 0) }
        switch head {
        case "init", "deinit", "subscript", "var": return wordOffset(line, String(head))
        case "package", "private", "fileprivate", "internal", "public", "static", "class", "final", "override",
            "mutating", "nonmutating", "consuming", "borrowing", "convenience", "required", "nonisolated", "lazy",
            "weak", "unowned":
            continue
        default: return nil
        }
    }
    return nil
}

private func body(_ code: [String], declaredAt start: Int, _ offset: Int) -> Body? {
    var brackets = 0
    var braces = 0
    var opening: Int?
    for index in start..<code.count {
        let line = Array(code[index].utf8).dropFirst(index == start ? offset : 0)
        if opening == nil, index > start, brackets == 0, !continuesDeclaration(code[index]) { return nil }
        for byte in line {
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "["): brackets += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"):
                if opening == nil, brackets == 0 { return nil }
                brackets -= 1
            case UInt8(ascii: "{") where brackets == 0 || opening != nil:
                opening = opening ?? index
                braces += 1
            case UInt8(ascii: "}") where opening != nil:
                braces -= 1
                if braces == 0, let opening {
                    return Body(declaration: start + 1, opening: opening + 1, closing: index + 1)
                }
            case UInt8(ascii: "}") where brackets == 0: return nil
            default: break
            }
        }
    }
    return nil
}

/// True for a line that can stand between a closed parameter list and its body.
private func continuesDeclaration(_ line: String) -> Bool {
    guard let first = line.split(separator: " ").first else { return false }
    return first.hasPrefix("{") || ["where", "->", "throws", "rethrows", "async"].contains { first.hasPrefix($0) }
}
