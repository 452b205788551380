// Why this file exists: disks fill up, and daemons that answer before they store are killed too. What was told stays true,
// what can be read is read, and writing goes on when it can.
import Glibc
import Testing

struct DiskTests {
    /// A file system of two megabytes, where this process may mount one.
    private final class SmallDisk {
        let path: String
        private let scratch: Scratch

        init?() throws {
            scratch = try Scratch()
            path = scratch.path + "/disk"
            unsafe mkdir(path, 0o700)
            let mount = try Process(
                "/bin/mount", ["-t", "tmpfs", "-o", "size=2m", "accordion-test", path], output: nil)
            guard try mount.waitForEnd() == 0 else { return nil }
        }

        deinit {
            let unmount = try? Process("/bin/umount", [path], output: nil)
            _ = try? unmount?.waitForEnd()
        }
    }

    @Test func `on a full disk reading goes on, writes are refused, and they succeed again once there is room`() throws
    {
        guard let disk = try SmallDisk() else {
            print("a full disk is not tested: no file system can be mounted here")
            return
        }
        let daemon = try TestDaemon(statePath: disk.path + "/state")
        let socket = try TestSocket(unix: daemon.socketPath)
        _ = try socket.ask(#"{"op":"create","doc":"p","content":[{"id":"a","title":"A","content":[]}]}"#)
        let ballast = disk.path + "/ballast"
        try write(String(repeating: "x", count: 1 << 20), to: ballast)
        var (stored, refused) = (0, 0)
        for number in 0..<200 {
            let text = String(repeating: "y", count: 20_000)
            let line = #"{"op":"create","doc":"d\#(number)","content":["\#(text)"]}"#
            let reply = try socket.ask(line)
            if reply?.contains(#""ok":true"#) == true {
                #expect(refused == 0 || reply != nil)
                stored += 1
            } else {
                #expect(reply?.contains("storage_failed") == true, "\(reply ?? "nothing")")
                refused += 1
                if refused > 5 { break }
            }
        }
        #expect(stored > 0 && refused > 5)
        #expect(try socket.ask(#"{"op":"get","doc":"p"}"#)?.contains(#""ok":true"#) == true)
        #expect(try socket.ask(#"{"op":"get","doc":"d0"}"#)?.contains(#""ok":true"#) == true)
        let status = try socket.ask(#"{"op":"status"}"#) ?? ""
        #expect(!status.contains(#""commits_failed":0"#) && !status.contains(#""storage_failures":0"#), "\(status)")
        #expect(status.contains(#""commits_failed":"#) && status.contains(#""rows_set_aside":0"#), "\(status)")
        unsafe unlink(ballast)
        let resumed = try socket.ask(#"{"op":"open","doc":"p","section":"a"}"#)
        #expect(resumed?.contains(#""open":true"#) == true, "\(resumed ?? "nothing"): \(daemon.log)")
        daemon.process.signal(SIGKILL)
        try daemon.process.waitForEnd()
        let again = try TestDaemon(in: daemon.scratch, statePath: disk.path + "/state")
        let reader = try TestSocket(unix: again.socketPath)
        #expect(try reader.ask(#"{"op":"get","doc":"p"}"#)?.contains(#""open":["a"]"#) == true)
        let listed = try reader.ask(#"{"op":"list"}"#) ?? ""
        #expect(listed.split(separator: #"{"doc":"#).count - 1 == stored + 1)
    }

    @Test func `relaxed, killed: the next run writes under a new name; ended in order: under the same`() throws {
        let daemon = try TestDaemon(["--durability", "relaxed"])
        let socket = try TestSocket(unix: daemon.socketPath)
        let made = try socket.ask(#"{"op":"create","doc":"p","content":[{"id":"a","title":"A","content":[]}]}"#)
        #expect(made?.contains(#"{"n1":1}"#) == true)
        try until("it is stored") { try runCheck(daemon).contains("1 documents") }
        daemon.process.signal(SIGKILL)
        try daemon.process.waitForEnd()
        let second = try TestDaemon(["--durability", "relaxed"], in: daemon.scratch)
        let other = try TestSocket(unix: second.socketPath)
        let opened = try other.ask(#"{"op":"open","doc":"p","section":"a"}"#)
        #expect(opened?.isLike(#"*"version":{"n1":1,"n1~*":1}*"#) == true, "\(opened ?? "")")
        second.process.signal(SIGTERM)
        #expect(try second.process.waitForEnd() == 0)
        let third = try TestDaemon(["--durability", "relaxed"], in: daemon.scratch)
        let last = try TestSocket(unix: third.socketPath)
        let closed = try last.ask(#"{"op":"close","doc":"p","section":"a"}"#)
        #expect(closed?.isLike(#"*"version":{"n1":1,"n1~*":2}*"#) == true, "\(closed ?? "")")
    }

    private func runCheck(_ daemon: TestDaemon) throws -> String {
        let output = daemon.scratch.path + "/check"
        unsafe unlink(output)
        let check = try Process(
            productsDirectory + "/accordiond", ["--state", daemon.statePath, "--check"], output: output)
        try check.waitForEnd()
        return contents(output)
    }

    @Test func `history, undo and redo survive a start`() throws {
        let daemon = try TestDaemon()
        let socket = try TestSocket(unix: daemon.socketPath)
        for line in [
            #"{"op":"create","doc":"p","content":[{"id":"a","title":"A","content":[]},{"id":"b","title":"B","content":[]}]}"#,
            #"{"op":"open","doc":"p","section":"a"}"#, #"{"op":"open","doc":"p","section":"b"}"#,
            #"{"op":"undo","doc":"p"}"#,
        ] { _ = try socket.ask(line) }
        daemon.process.signal(SIGKILL)
        try daemon.process.waitForEnd()
        let again = try TestDaemon(in: daemon.scratch)
        let other = try TestSocket(unix: again.socketPath)
        #expect(try other.ask(#"{"op":"redo","doc":"p"}"#)?.contains(#""changed":1"#) == true)
        #expect(try other.ask(#"{"op":"undo","doc":"p"}"#)?.contains(#""changed":1"#) == true)
        #expect(try other.ask(#"{"op":"undo","doc":"p"}"#)?.contains(#""changed":1"#) == true)
        #expect(try other.ask(#"{"op":"undo","doc":"p"}"#)?.contains("nothing_to_undo") == true)
        #expect(try other.ask(#"{"op":"get","doc":"p"}"#)?.contains(#""open":[]"#) == true)
        let history = try other.ask(#"{"op":"history","doc":"p","section":"a"}"#) ?? ""
        #expect(history.split(separator: #"{"number":"#).count - 1 == 2, "\(history)")
    }
}
