// Why this file exists: a broker is set up by people: whom it lets in, what its stream is, how it shows who it is.

import Cluster
import Replication
import TestSupport
import Testing

@Suite(.serialized) struct BrokerSetupTests {
    /// Connects and lets go again.
    private func connect(_ settings: BrokerSettings) throws -> BrokerStream {
        let client = Client(settings)
        defer { client.take() }
        return try client.broker.connect()
    }

    private func connect(_ server: TestBroker) throws -> BrokerStream {
        try connect(BrokerSettings(servers: [server.address], instance: "one"))
    }

    private func made(_ text: String, _ server: TestBroker) throws {
        try server.say(ask("STREAM.CREATE.accordion", text))
    }

    @Test func `a stream that keeps less is raised, and one that keeps more is left so`() throws {
        let server = try TestBroker()
        try made(
            #"{"name":"accordion","subjects":["accordion.*"],"storage":"file","max_age":1000000000,"duplicate_window":1000000000}"#,
            server)
        let client = Client(server)
        _ = try client.broker.connect()
        var less = BrokerSettings(servers: [server.address], instance: "two")
        less.retentionSeconds = 5
        less.duplicatesSeconds = 5
        _ = try connect(less)
        let answer = try reply("STREAM.INFO.accordion", server)
        #expect(answer.contains("\"max_age\":\(7 * 24 * 3_600)000000000"))
        #expect(answer.contains("\"duplicate_window\":120000000000"))
    }

    @Test(
        arguments: [
            (#"{"name":"accordion","subjects":["other.*"]}"#, "does not take accordion.*"),
            (#"{"name":"accordion","subjects":["accordion.*"],"retention":"workqueue"}"#, "go when they were read"),
            (#"{"name":"accordion","subjects":["accordion.*"],"no_ack":true}"#, "confirms nothing"),
        ])
    func `a stream that was made for something else is told and left alone`(_ text: String, _ words: String) throws {
        let server = try TestBroker()
        try made(text, server)
        let failure = #expect(throws: BrokerFailure.self) { try connect(server) }
        #expect(failure?.description.contains(words) == true, "\(String(describing: failure))")
        #expect(try reply("STREAM.INFO.accordion", server).contains("accordion"))
    }

    @Test func `a broker without JetStream, and one for small messages, are told`() throws {
        let small = try TestBroker("max_payload: 65536")
        let failure = #expect(throws: BrokerFailure.self) { try connect(small) }
        #expect(failure?.description.contains("max_payload") == true)
    }

    @Test func `more replicas than the broker has servers are told`() throws {
        let server = try TestBroker()
        var settings = BrokerSettings(servers: [server.address], instance: "one")
        settings.replicas = 3
        let failure = #expect(throws: BrokerFailure.self) { try connect(settings) }
        #expect(failure?.description.contains("replicas") == true, "\(String(describing: failure))")
    }

    @Test func `a stream that takes no more is told with each message`() throws {
        let server = try TestBroker()
        try made(#"{"name":"accordion","subjects":["accordion.*"],"max_msgs":2,"discard":"new"}"#, server)
        let client = Client(server)
        _ = try client.broker.connect()
        try client.publish(1...2)
        try client.broker.publish([(try id(3), payload(3, 8))])
        try client.until("the refusal is told") { client.refusals.count == 1 }
        #expect(client.refusals[0].contains("maximum"), "\(client.refusals)")
        #expect(client.acknowledged.count == 2)
    }

    @Test func `a password is asked for`() throws {
        let server = try TestBroker("authorization { user: accordion, password: \"s3cret word\" }")
        var settings = BrokerSettings(servers: [server.address], instance: "one")
        settings.user = "accordion"
        settings.password = "wrong"
        let failure = #expect(throws: BrokerFailure.self) { try connect(settings) }
        #expect(failure?.description.lowercased().contains("authorization") == true, "\(String(describing: failure))")
        #expect(failure?.description.contains("wrong") == false)
        settings.password = "s3cret word"
        _ = try connect(settings)
    }

    @Test func `TLS is spoken with whom the authority knows, by the name that was asked for`() throws {
        let scratch = try Scratch()
        let script = """
            set -eu
            cd \(scratch.path)
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=ca
            for name in server client; do
              openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout $name.key -out $name.csr -subj /CN=$name
              echo subjectAltName=IP:127.0.0.1 > ext
              openssl x509 -req -in $name.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -out $name.pem -extfile ext
            done
            """
        let making = try Process("/bin/sh", ["-c", script], output: scratch.path + "/log")
        try #require(try making.waitForEnd() == 0, "\(contents(scratch.path + "/log"))")
        let server = try TestBroker(
            "tls { cert_file: DIR/server.pem, key_file: DIR/server.key, ca_file: DIR/ca.pem, verify: true }",
            in: scratch)
        var settings = BrokerSettings(servers: ["tls://127.0.0.1:\(server.port)"], instance: "one")
        settings.certificateFile = scratch.path + "/client.pem"
        settings.keyFile = scratch.path + "/client.key"
        // Nobody whom the system knows.
        #expect(throws: BrokerFailure.self) { try connect(settings) }
        settings.certificateAuthorityFile = scratch.path + "/ca.pem"
        let client = Client(settings)
        _ = try client.broker.connect()
        try client.publish(1...3)
        // Known, but under another name.
        settings.servers = ["tls://localhost:\(server.port)"]
        #expect(throws: BrokerFailure.self) { try connect(settings) }
        // Without a certificate of its own.
        settings.servers = ["tls://127.0.0.1:\(server.port)"]
        settings.certificateFile = nil
        #expect(throws: BrokerFailure.self) { try connect(settings) }
    }
}
