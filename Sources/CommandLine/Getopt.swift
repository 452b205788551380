// The C library's getopt_long does the reading of options, with all its habits: `--name=value`, `-abc`, `-C3`, unique
// beginnings of long names, `--`. It keeps its place in C globals, so one lock covers a whole scan and nothing else in
// the room calls it; it is told never to print.

internal import CGetopt
internal import Synchronization

/// Where one scan of words ended, and what it found.
struct Scan: Equatable {
    enum Item: Equatable {
        /// The option's index in the list given to the scan.
        case option(Int, value: String?)
        case operand(String)
    }
    enum Fault: Error, Equatable {
        /// The word as typed; for a short option its letter is given too.
        case unknown(word: String, short: Character?)
        case missingValue(Int)
        case unexpectedValue(Int)
    }
    var items: [Item] = []
    /// What was not looked at: after `--`, or from the first operand on where the scan stops there.
    var rest: [String] = []
    var isEndedByDashes = false
    var fault: Fault?
}

/// getopt has one state for the whole process; the lock has to be as wide.
private enum GetoptState {
    static let lock = Mutex(())
}

/// Reads `words` (without the program's name). Stops at the first fault, and with `stopsAtOperand` at the first word
/// that is neither an option nor an option's value.
func scan(_ words: [String], options: [Option], stopsAtOperand: Bool) -> Scan {
    // `+` stops at an operand, `-` returns operands in their place (and pays no heed to POSIXLY_CORRECT); `:` makes a
    // missing value distinct and keeps getopt quiet.
    var shorts = stopsAtOperand ? "+:" : "-:"
    for option in options {
        guard let short = option.short else { continue }
        shorts += String(short) + (option.value == nil ? "" : ":")
    }
    var arena = CStringArena()
    for text in [""] + words + options.map(\.long) + [shorts] { arena.add(text) }
    let wordCount = words.count + 1
    return unsafe arena.withPointers { strings in
        var longs = unsafe [option]()
        for (index, one) in options.enumerated() {
            let takes = one.value == nil ? no_argument : required_argument
            let name = unsafe UnsafePointer(strings[wordCount + index])
            unsafe longs.append(
                option(name: name, has_arg: takes, flag: nil, val: longBase + Int32(truncatingIfNeeded: index)))
        }
        unsafe longs.append(option(name: nil, has_arg: 0, flag: nil, val: 0))
        let argv = unsafe Array(strings[0..<wordCount]) + [nil]
        let shorts = unsafe strings[wordCount + options.count]
        return GetoptState.lock.withLock { _ in
            unsafe run(words, options, argv: argv, shorts: shorts, longs: longs)
        }
    }
}

/// What getopt returns for a long option: this and the option's index; a short one returns its letter.
private let longBase: Int32 = 256

private func run(
    _ words: [String], _ options: [Option], argv: [UnsafeMutablePointer<CChar>?],
    shorts: UnsafeMutablePointer<CChar>?, longs: [option]
) -> Scan {
    var result = Scan()
    let count = Int32(truncatingIfNeeded: words.count + 1)
    cg_begin()
    // Before its first call getopt's place is 0; it then begins at 1.
    var place = 1
    while result.fault == nil {
        let code = unsafe cg_next(count, argv, shorts, longs)
        let next = max(1, Int(cg_index()))
        // getopt moves past `--` itself, and only past that, when it says that it is done.
        if code == -1 {
            result.isEndedByDashes = next > place
            result.rest = Array(words.dropFirst(next - 1))
            break
        }
        let value = unsafe cg_value().map { unsafe String(cString: $0) }
        switch code {
        case 1: result.items.append(.operand(value ?? ""))
        case colon: result.fault = index(of: cg_faulty(), in: options).map { .missingValue($0) }
        case questionMark: result.fault = fault(cg_faulty(), word: word(before: next, after: place, words), options)
        default:
            if let index = index(of: code, in: options) { result.items.append(.option(index, value: value)) }
        }
        place = next
    }
    return result
}

private let colon = Int32(UInt8(ascii: ":"))
private let questionMark = Int32(UInt8(ascii: "?"))

/// The word that getopt was in: it has moved past it, unless more letters of it are left to read.
private func word(before next: Int, after place: Int, _ words: [String]) -> String {
    let index = next > place ? next - 2 : next - 1
    return words.indices.contains(index) ? words[index] : ""
}

private func index(of code: Int32, in options: [Option]) -> Int? {
    if code >= longBase { return Int(code - longBase) }
    guard let letter = UInt8(exactly: code) else { return nil }
    return options.firstIndex { $0.short == Character(Unicode.Scalar(letter)) }
}

private func fault(_ faulty: Int32, word: String, _ options: [Option]) -> Scan.Fault {
    if faulty >= longBase { return .unexpectedValue(Int(faulty - longBase)) }
    guard faulty > 0x20, faulty < 0x7F, let letter = UInt8(exactly: faulty) else {
        return .unknown(word: word, short: nil)
    }
    return .unknown(word: word, short: Character(Unicode.Scalar(letter)))
}

/// Many C strings in one piece of memory, which is freed with it.
private struct CStringArena {
    private var bytes: [CChar] = []
    private var offsets: [Int] = []

    /// A NUL inside would end the string for C: it is cut there, as an argument of a process would be.
    mutating func add(_ text: String) {
        offsets.append(bytes.count)
        for byte in text.utf8.prefix(while: { $0 != 0 }) { bytes.append(CChar(bitPattern: byte)) }
        bytes.append(0)
    }

    mutating func withPointers<Result>(_ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
        let offsets = offsets
        return unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            let strings = unsafe offsets.map { unsafe buffer.baseAddress?.advanced(by: $0) }
            return unsafe body(strings)
        }
    }
}
