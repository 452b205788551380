// Why this file exists: folds that somebody made for themselves should be there again the next day.

import AccordionModel
import EventLoop

/// The folds of one document at one daemon, in the user's state directory.
struct FoldsFile {
    private static let bytesMax = 4 << 20
    private let path: String?

    init(_ name: DocumentName, _ address: Address) {
        let state =
            Standard.variable("XDG_STATE_HOME") ?? Standard.variable("HOME").map { $0 + "/.local/state" }
        // The address may hold any character of a path.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(address)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        path = state.map { "\($0)/accordion/folds/\(name.text)@\(String(hash, radix: 16))" }
    }

    /// Nil where there are none.
    func read() -> String? {
        guard let path, let bytes = try? Standard.file(path, bytesMax: Self.bytesMax) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Nil: none are left. What can't be kept is not told: the folds are there until the mirror ends.
    func keep(_ text: String?) {
        guard let path else { return }
        if let text { Standard.keep(Array(text.utf8), at: path) } else { Standard.remove(path) }
    }
}
