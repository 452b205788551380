// Why this file exists: a mistake in a configuration is told with its line and column, so every value keeps where it stands.
// It is the one file of this room that touches memory by address.

internal import CTOML

/// What is wrong in a configuration file, and where.
package struct ConfigurationFault: Error, Equatable, CustomStringConvertible {
    package let file: String
    /// From 1; 0 where the file itself is what is wrong.
    package let line: Int
    package let column: Int
    package let reason: String

    package init(file: String, line: Int, column: Int, _ reason: String) {
        self.file = file
        self.line = line
        self.column = column
        self.reason = reason
    }

    package var description: String { line > 0 ? "\(file):\(line):\(column): \(reason)" : "\(file): \(reason)" }
}

struct TOMLValue {
    enum Content {
        case table
        case array(count: Int)
        case string(String)
        case integer(Int)
        case bool(Bool)
        /// A date, a fraction: nothing that a configuration needs.
        case other
    }

    /// From the top, joined by dots; `[N]` for an element.
    let key: String
    let content: Content
    let line: Int
    let column: Int
}

enum TOMLFile {
    /// Every value in the order of the file.
    static func read(_ text: [UInt8], file: String) throws(ConfigurationFault) -> [TOMLValue] {
        final class Collector { var values: [TOMLValue] = [] }
        let collector = Collector()
        var reason = [CChar](repeating: 0, count: 512)
        let room = reason.count
        var (line, column): (UInt32, UInt32) = (0, 0)
        let status = unsafe text.withUnsafeBufferPointer { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { bytes in
                unsafe ctoml_parse(
                    bytes.baseAddress, bytes.count,
                    { context, kind, key, text, length, number, line, column in
                        guard let context = unsafe context, let key = unsafe key else { return }
                        let collector = unsafe Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue()
                        let content: TOMLValue.Content
                        switch kind {
                        case CTOML_TABLE: content = .table
                        case CTOML_ARRAY: content = .array(count: Int(number))
                        case CTOML_STRING:
                            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: length)
                            content = unsafe .string(String(decoding: bytes, as: UTF8.self))
                        case CTOML_INTEGER: content = .integer(Int(number))
                        case CTOML_BOOLEAN: content = .bool(number != 0)
                        default: content = .other
                        }
                        unsafe collector.values.append(
                            TOMLValue(
                                key: String(cString: key), content: content, line: Int(line), column: Int(column)))
                    }, Unmanaged.passUnretained(collector).toOpaque(), &reason, room, &line, &column)
            }
        }
        guard status == 0 else {
            let words = String(decoding: reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw ConfigurationFault(file: file, line: Int(line), column: Int(column), words)
        }
        return collector.values
    }
}
