// Why this file exists: whoever follows a file wants to know when to look at it again. An editor often doesn't write to a file
// but puts another in its place, and a watch on the file itself would go on looking at the old one. So the directory is
// watched, in which both happen.

/// Calls its action when something happens in the directory of a file: to the file, or to another one beside it; whether
/// the file has changed is for the action to see. Nothing is called while nothing happens.
package final class FileWatch: Handle {
    private var action: ((SystemError?) -> Void)?

    /// The action is given why the directory can't be watched any longer, where that is so.
    package init(
        _ loop: Loop, besides path: String, _ action: @escaping (SystemError?) -> Void
    ) throws(SystemError) {
        self.action = action
        try super.init(loop, .fileEvents)
        let result = startFileEvents(Self.directory(of: path))
        if result != 0 {
            close()
            throw SystemError("uv_fs_event_start", libuv: result)
        }
    }

    /// Where the file is, for the system.
    package static func directory(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    override func fired(status: Int32, value: Int32) {
        action?(status < 0 ? SystemError("uv_fs_event", libuv: status) : nil)
    }

    override func didClose() { action = nil }
}
