// Why this file exists: disks fill up, and daemons that answer before they store are killed too. What was told stays true,
// what can be read is read, and writing goes on when it can.
import Glibc
import TestSupport
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

    @Test func `an undo in vain changes nothing of what the next one finds, before a start and after`() throws {
        func play(restarting: Bool) throws -> [String] {
            var daemon = try TestDaemon()
            var people: [String: TestSocket] = [:]
            func ask(_ who: String, _ line: String) throws -> String {
                if people[who] == nil {
                    let socket = try TestSocket(unix: daemon.socketPath)
                    _ = try socket.ask(#"{"op":"hello","name":"\#(who)"}"#)
                    people[who] = socket
                }
                return try people[who]?.ask(line) ?? ""
            }
            _ = try ask("bob", #"{"op":"create","doc":"p","content":[{"id":"a","title":"A","content":[]}]}"#)
            _ = try ask("bob", #"{"op":"open","doc":"p","section":"a"}"#)
            _ = try ask("ann", #"{"op":"close","doc":"p","section":"a"}"#)
            #expect(try ask("bob", #"{"op":"undo","doc":"p"}"#).contains("nothing_to_undo"))
            _ = try ask("ann", #"{"op":"open","doc":"p","section":"a"}"#)
            _ = try ask("bob", #"{"op":"close","doc":"p","section":"a"}"#)
            if restarting {
                daemon.process.signal(SIGTERM)
                try daemon.process.waitForEnd()
                people = [:]
                daemon = try TestDaemon(in: daemon.scratch)
            }
            return try (0..<3).map { _ in try ask("bob", #"{"op":"undo","doc":"p"}"#) }
        }
        #expect(try play(restarting: false) == play(restarting: true))
    }

    @Test func `relaxed, stopped while the disk is full: what is lost is told, with an exit status`() throws {
        guard let disk = try SmallDisk() else {
            print("a full disk is not tested: no file system can be mounted here")
            return
        }
        let daemon = try TestDaemon(["--durability", "relaxed"], statePath: disk.path + "/state")
        let socket = try TestSocket(unix: daemon.socketPath)
        try write(String(repeating: "x", count: 1_200_000), to: disk.path + "/ballast")
        let text = String(repeating: "y", count: 600_000)
        for number in 0..<5 {
            let reply = try socket.ask(#"{"op":"create","doc":"d\#(number)","content":["\#(text)"]}"#)
            #expect(reply?.contains(#""ok":true"#) == true)
        }
        try until("a commit fails") { daemon.log.contains("error storage_failed") }
        #expect(try socket.ask(#"{"op":"history","doc":"d0"}"#)?.contains("storage_failed") == true)
        daemon.process.signal(SIGTERM)
        #expect(try socket.line()?.contains("goodbye") == true)
        #expect(try daemon.process.waitForEnd() == 74, "\(daemon.log)")
        #expect(daemon.log.contains("5 writes that had been acknowledged could not be stored"), "\(daemon.log)")
    }

    @Test func `a database that is taken away is not written, is still read, and is written when it is back`() throws {
        let daemon = try TestDaemon()
        let socket = try TestSocket(unix: daemon.socketPath)
        _ = try socket.ask(#"{"op":"create","doc":"p","content":[{"id":"a","title":"A","content":[]}]}"#)
        let (file, away) = (daemon.statePath + "/accordion.db", daemon.scratch.path + "/away")
        #expect(unsafe rename(file, away) == 0)
        try write("somebody else's", to: file)
        let refused = try socket.ask(#"{"op":"open","doc":"p","section":"a"}"#)
        #expect(refused?.contains("storage_failed") == true, "\(refused ?? "")")
        #expect(try socket.ask(#"{"op":"get","doc":"p"}"#)?.contains(#""open":[]"#) == true)
        #expect(try socket.ask(#"{"op":"history","doc":"p"}"#)?.contains(#""ok":true"#) == true)
        #expect(contents(file) == "somebody else's")
        #expect(daemon.log.contains("was removed or replaced while it was in use"))
        #expect(unsafe rename(away, file) == 0)
        #expect(try socket.ask(#"{"op":"open","doc":"p","section":"a"}"#)?.contains(#""ok":true"#) == true)
        daemon.process.signal(SIGTERM)
        #expect(try daemon.process.waitForEnd() == 0)
        #expect(try runCheck(daemon).contains("whole: 1 documents"))
    }

    @Test func `a daemon whose lock is gone leaves the writing to whoever comes next`() throws {
        let daemon = try TestDaemon()
        let socket = try TestSocket(unix: daemon.socketPath)
        _ = try socket.ask(#"{"op":"create","doc":"p","content":[{"id":"a","title":"A","content":[]}]}"#)
        unsafe unlink(daemon.statePath + "/lock")
        let refused = try socket.ask(#"{"op":"open","doc":"p","section":"a"}"#)
        #expect(refused?.contains("storage_failed") == true && daemon.log.contains("/lock was removed"))
        #expect(try socket.ask(#"{"op":"get","doc":"p"}"#)?.contains(#""open":[]"#) == true)
    }

    @Test(arguments: ["durable", "relaxed"])
    func `while another program holds the database reading goes on, and a stop is a stop`(durability: String) throws {
        let daemon = try TestDaemon(["--durability", durability])
        let (writer, reader) = (try TestSocket(unix: daemon.socketPath), try TestSocket(unix: daemon.socketPath))
        for name in ["p", "q"] {
            _ = try writer.ask(#"{"op":"create","doc":"\#(name)","content":[{"id":"a","title":"A","content":[]}]}"#)
        }
        try until("both are stored") { try runCheck(daemon).contains("whole: 2 documents") }
        let holder = try DatabaseHolder(daemon.statePath + "/accordion.db")
        try writer.send(#"{"op":"open","doc":"p","section":"a"}"# + "\n")
        for _ in 0..<20 {
            #expect(try reader.ask(#"{"op":"ping"}"#)?.contains(#""ok":true"#) == true)
            #expect(try reader.ask(#"{"op":"get","doc":"q"}"#)?.contains(#""open":[]"#) == true)
        }
        let told = try writer.line() ?? ""
        #expect(told.contains(durability == "durable" ? "storage_failed" : #""ok":true"#), "\(told)")
        daemon.process.signal(SIGTERM)
        #expect(try reader.line()?.contains("goodbye") == true)
        #expect(try daemon.process.waitForEnd() == (durability == "durable" ? 0 : 74), "\(daemon.log)")
        holder.letGo()
        #expect(try runCheck(daemon).contains("whole: 2 documents"))
    }
}
