// Why this file exists: that many daemons end up the same is proven without a broker; that the programs do what was proven is
// shown here with a real one.

import Glibc
import TestSupport
import Testing

@Suite struct ClusterTests {
    @Test func `what one daemon writes is told at all, and who disagree end up the same`() throws {
        let cluster = try TestCluster()
        try cluster.nodes[0].create("doc")
        try cluster.agree(on: "doc") { $0.contains("\"ok\":true") }
        let reader = try cluster.nodes[2].connect()
        _ = try reader.ask(#"{"op":"subscribe","doc":"doc"}"#)
        #expect(try reader.line()?.contains("snapshot") == true)
        #expect(try cluster.nodes[0].toggle("doc", "s1").contains("\"open\":true"))
        let event = try reader.line() ?? ""
        #expect(
            event.isLike(
                #"{"event":"changed","doc":"doc","version":{"n1":2},*"changes":[{"section":"s1","open":true}]}"#))
        // Two that have not seen each other.
        let seen = #""seen":{"n1":2}"#
        _ = try cluster.nodes[0].ask(#"{"op":"close","doc":"doc","section":"s1",\#(seen)}"#)
        _ = try cluster.nodes[1].ask(#"{"op":"toggle","doc":"doc","section":"s1","to":true,\#(seen)}"#)
        _ = try cluster.nodes[1].ask(#"{"op":"open","doc":"doc","section":"s2",\#(seen)}"#)
        let end = try cluster.agree(on: "doc") { $0.contains("s2\"]") }
        #expect(end.contains("\"version\":{\"n1\":3,\"n2\":"))
    }

    @Test func `a document that is larger than a message reaches all`() throws {
        let cluster = try TestCluster(daemons: 2)
        let text = String(repeating: "word ", count: 300_000)
        let reply = try cluster.nodes[0].ask(
            #"{"op":"create","doc":"large","title":"T","content":["\#(text)"]}"#)
        try #require(reply.contains("\"ok\":true"), "\(reply)")
        try cluster.agree(on: "large") { $0.utf8.count > 1_500_000 }
    }

    @Test func `who is where is told between daemons, and who leaves is gone`() throws {
        let cluster = try TestCluster(daemons: 2)
        try cluster.nodes[0].create("doc")
        try cluster.agree(on: "doc") { $0.contains("\"ok\":true") }
        let here = try cluster.nodes[0].connect()
        try here.send(#"{"op":"subscribe","doc":"doc","presence":true}"# + "\n")
        func present(_ pattern: String) throws -> Bool {
            for _ in 0..<20 {
                if try here.line()?.isLike(pattern) == true { return true }
            }
            return false
        }
        #expect(try present(#"{"event":"presence",*"count":1}"#))
        let there = try cluster.nodes[1].connect()
        _ = try there.ask(#"{"op":"hello","name":"eve"}"#)
        _ = try there.ask(#"{"op":"subscribe","doc":"doc"}"#)
        try there.send(#"{"op":"select","doc":"doc","section":"s1"}"# + "\n")
        #expect(try present(#"*"session":"n2/s*","name":"eve*","section":"s1","presenting":false}*"count":2}"#))
        there.endSending()
        #expect(try present(#"{"event":"presence",*"count":1}"#))
    }

    @Test func `whoever waits for it is told when the broker has a write, later where it is away`() throws {
        let cluster = try TestCluster(daemons: 1)
        try cluster.nodes[0].create("doc")
        let client = try cluster.nodes[0].connect()
        let request = #"{"op":"toggle","doc":"doc","section":"s1","replicated":true}"#
        #expect(try client.ask(request)?.contains(#""version":{"n1":2}"#) == true)
        #expect(try client.line() == #"{"event":"replicated","doc":"doc","version":{"n1":2}}"#)
        try cluster.brokers[0].kill()
        #expect(try client.ask(request)?.contains(#""version":{"n1":3}"#) == true)
        // Nothing comes between.
        #expect(try client.ask(#"{"op":"ping"}"#)?.contains("\"time\"") == true)
        try cluster.brokers[0].start()
        #expect(try client.line() == #"{"event":"replicated","doc":"doc","version":{"n1":3}}"#)
    }

    @Test func `a client that moves to another daemon is answered on what its screen showed`() throws {
        let cluster = try TestCluster(daemons: 2)
        try cluster.nodes[0].create("doc")
        try cluster.agree(on: "doc") { $0.contains("\"ok\":true") }
        for round in 0..<20 {
            let version = "{\"n1\":\(round + 2)}"
            _ = try cluster.nodes[0].toggle("doc", "s1")
            let moved = try cluster.nodes[1].connect()
            let reply = try moved.ask(#"{"op":"subscribe","doc":"doc","since":\#(version),"epoch":"another"}"#) ?? ""
            #expect(reply.contains("\"version\":\(version)"), "\(reply)")
            #expect(try moved.line()?.contains("\"open\":[\(round.isMultiple(of: 2) ? "\"s1\"" : "")]") == true)
        }
    }

    @Test func `while the broker is away all goes on, and what was written follows`() throws {
        let cluster = try TestCluster()
        try cluster.nodes[0].create("doc")
        try cluster.agree(on: "doc") { $0.contains("\"ok\":true") }
        try cluster.brokers[0].kill()
        try until("the loss is noticed") { try cluster.nodes[1].status().contains("\"connected\":false") }
        for (number, node) in cluster.nodes.enumerated() {
            #expect(try node.toggle("doc", "s\(number)").contains("\"open\":true"))
            try node.create("own-\(number)")
        }
        #expect(try cluster.nodes[0].get("own-1").contains("unknown_document"))
        // Also what was written before a restart meanwhile.
        #expect(try cluster.nodes[1].stop(SIGTERM) == 0)
        try cluster.nodes[1].start()
        try cluster.brokers[0].start()
        try cluster.agree(on: "doc") { $0.contains(#""open":["s0","s1","s2"]"#) }
        for number in 0..<3 { try cluster.agree(on: "own-\(number)") { $0.contains("\"ok\":true") } }
    }

    @Test func `a daemon that was killed, and one that was stopped, catch up`() throws {
        let cluster = try TestCluster()
        try cluster.nodes[0].create("doc", sections: 40)
        try cluster.agree(on: "doc") { $0.contains("\"ok\":true") }
        try cluster.nodes[1].stop()
        cluster.nodes[2].signal(SIGSTOP)
        for number in 0..<40 { _ = try cluster.nodes[0].toggle("doc", "s\(number)") }
        try cluster.nodes[1].start()
        cluster.nodes[2].signal(SIGCONT)
        let end = try cluster.agree(on: "doc") { $0.contains("\"version\":{\"n1\":41}") }
        #expect(end.contains("s39"))
    }

    @Test func `a daemon that is new gets what the stream does not have any more`() throws {
        let cluster = try TestCluster(daemons: 2)
        for number in 0..<20 { try cluster.nodes[number % 2].create("doc-\(number)") }
        for number in 0..<20 { try cluster.agree(on: "doc-\(number)") { $0.contains("\"ok\":true") } }
        for node in cluster.nodes { try node.settle() }
        try cluster.brokers[0].say(["PUB $JS.API.STREAM.PURGE.accordion nobody 2", "{}"])
        _ = try cluster.add("n3")
        for number in 0..<20 {
            let shown = try cluster.agree(on: "doc-\(number)", seconds: 60) { $0.contains("\"ok\":true") }
            #expect(shown.contains("s2"))
        }
    }

    @Test func `a stream that was made anew brings nothing back and loses nothing`() throws {
        let cluster = try TestCluster(daemons: 2)
        try cluster.nodes[0].create("doc")
        try cluster.nodes[0].create("gone")
        try cluster.agree(on: "gone") { $0.contains("\"ok\":true") }
        _ = try cluster.nodes[0].ask(#"{"op":"delete","doc":"gone"}"#)
        try cluster.agree(on: "gone") { $0.contains("unknown_document") }
        try cluster.brokers[0].say(["PUB $JS.API.STREAM.DELETE.accordion nobody 0", ""])
        _ = try cluster.nodes[1].toggle("doc", "s1")
        _ = try cluster.nodes[0].toggle("doc", "s2")
        let end = try cluster.agree(on: "doc") { $0.contains(#""open":["s1","s2"]"#) }
        #expect(end.contains("n2"))
        try cluster.agree(on: "gone") { $0.contains("unknown_document") }
    }

    @Test func `a daemon under a name that is in use writes nothing and says why`() throws {
        let cluster = try TestCluster(daemons: 1)
        try cluster.nodes[0].create("doc")
        let second = try cluster.add("n1")
        try until("it knows") { try second.status().contains("\"read_only\"") }
        let refused = try second.ask(#"{"op":"create","doc":"mine","title":"T","content":[]}"#)
        #expect(refused.contains("\"code\":\"read_only\"") && refused.contains("--node"), "\(refused)")
        #expect(second.log.contains("nothing is written from now on"))
        // Reading goes on.
        #expect(try second.ask(#"{"op":"ping"}"#).contains("\"ok\":true"))
    }

    @Test func `a state that was put back by hand is told by the stream, and writes nothing`() throws {
        let cluster = try TestCluster(daemons: 2)
        try cluster.nodes[0].create("doc")
        try cluster.nodes[0].settle()
        #expect(try cluster.nodes[0].stop(SIGTERM) == 0)
        let (state, old) = (cluster.nodes[0].scratch.path + "/state", cluster.nodes[0].scratch.path + "/old")
        #expect(try Process("/bin/cp", ["-a", state, old], output: nil).waitForEnd() == 0)
        try cluster.nodes[0].start()
        _ = try cluster.nodes[0].toggle("doc", "s1")
        try cluster.nodes[0].settle()
        try cluster.nodes[0].stop(SIGTERM)
        #expect(try Process("/bin/rm", ["-rf", state], output: nil).waitForEnd() == 0)
        #expect(try Process("/bin/mv", [old, state], output: nil).waitForEnd() == 0)
        try cluster.nodes[0].start()
        let reply = try cluster.nodes[0].toggle("doc", "s2")
        #expect(reply.contains("\"code\":\"read_only\"") && reply.contains("--restore"), "\(reply)")
        // What it had forgotten it has again.
        try cluster.agree(on: "doc") { $0.contains(#""open":["s1"]"#) }
    }

    @Test func `messages that nobody understands are set aside, and those behind them are read`() throws {
        let cluster = try TestCluster(daemons: 2)
        try cluster.nodes[0].create("doc")
        try cluster.agree(on: "doc") { $0.contains("\"ok\":true") }
        let poison = ["nothing", "{\"doc\":\"doc\"}", "{", "\u{0}\u{1}", "[[[[", String(repeating: "[", count: 2_000)]
        for text in poison {
            try cluster.brokers[0].say(["PUB accordion.doc \(text.utf8.count)", text])
            try cluster.brokers[0].say(["PUB accordion.peers.all \(text.utf8.count)", text])
        }
        _ = try cluster.nodes[1].toggle("doc", "s1")
        try cluster.agree(on: "doc") { $0.contains(#""open":["s1"]"#) }
        #expect(cluster.nodes[0].log.contains("was set aside"))
        // Not again after a restart: the cursor has gone past them.
        try cluster.nodes[0].settle()
        try until("it is stored") { try !cluster.nodes[0].status().contains("\"cluster_next_message\":1,") }
        try cluster.nodes[0].stop(SIGTERM)
        try cluster.nodes[0].start()
        try cluster.nodes[0].settle()
        #expect(!cluster.nodes[0].log.contains("was set aside"))
    }

    @Test func `what was written before there was a cluster reaches all who join`() throws {
        let scratch = try Scratch()
        let alone = try TestDaemon(node: "n1", in: scratch)
        _ = try TestSocket(unix: alone.socketPath).ask(
            #"{"op":"create","doc":"before","title":"T","content":[{"title":"s0","content":[]}]}"#)
        alone.process.signal(SIGTERM)
        try alone.process.waitForEnd()
        let cluster = try TestCluster(daemons: 0, brokers: [try TestBroker()])
        _ = try cluster.add("n1", state: scratch.path + "/state")
        _ = try cluster.add("n2")
        let shown = try cluster.agree(on: "before", seconds: 60) { $0.contains("\"ok\":true") }
        #expect(shown.contains("s0"))
    }

    @Test(arguments: [
        ("servers = [\"http://h\"]", "must begin with nats:// or tls://"),
        ("servers = [\"nats://\"]", "is no HOST:PORT"), ("servers = [\"nats://h:99999\"]", "is no HOST:PORT"),
        ("servers = [\"nats://u:secret@h\"]", "a user belongs into user and password_file"),
        ("servers = [\"nats://h\"]\ncredentials = \"/nowhere\"", "can't be read"),
    ])
    func `a setting of the cluster that will not do is told before anything is opened`(
        _ text: String, _ words: String
    ) throws {
        let scratch = try Scratch()
        let file = scratch.path + "/c.toml"
        try write("[cluster]\n\(text)\n", to: file)
        for more in [["--check-config"], ["--state", scratch.path + "/state"]] {
            let output = scratch.path + "/out"
            let process = try Process(productsDirectory + "/accordiond", ["--config", file] + more, output: output)
            #expect(try process.waitForEnd() == 78)
            #expect(contents(output).contains(words), "\(contents(output))")
            #expect(!contents(output).contains("secret"))
        }
    }
}
