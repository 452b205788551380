// Why this file exists: whatever a client sends, the answer is the protocol's, the daemon is the same process after it, and
// a neighbour is served all the while. The inputs are the workbench's table.

import AccordionWorkbench
import Glibc
import TestSupport
import Testing

@Suite struct HostileTests {
    /// What went wrong with one input; nil if all was as it must be.
    private func fault(
        _ input: HostileInput, _ socket: TestSocket, _ neighbour: TestSocket
    ) throws -> String? {
        for part in input.parts {
            // Who is closed in the middle need not be able to send the rest.
            if input.ending == .closed { try? socket.send(part) } else { try socket.send(part) }
            // The neighbour's answer says that this much has been read.
            if input.parts.count > 1, try !neighbour.isServed() { return "a neighbour is not served" }
        }
        for (place, answer) in input.answers.enumerated() {
            guard let line = try socket.line() else { return "the connection ended before answer \(place + 1)" }
            if !answer.accepts(line) { return "answer \(place + 1) is \(line.prefix(400))" }
            if line.unicodeScalars.contains(where: isSteering) { return "the answer steers a terminal: \(line)" }
        }
        switch input.ending {
        case .goesOn: if try !socket.isServed() { return "a ping after it is not answered" }
        case .closed: if let line = try socket.line() { return "it is not closed, but answered \(line.prefix(400))" }
        case .unfinished: break
        }
        return try neighbour.isServed() ? nil : "a neighbour is not served"
    }

    private func isSteering(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar.properties.isBidiControl || scalar == "\u{FEFF}"
        }
    }

    @Test(arguments: Door.allCases)
    func `every hostile input has its answer, first on a connection and after others`(_ door: Door) throws {
        let daemon = try TestDaemon()
        let neighbour = try daemon.connect(.unix)
        #expect(try neighbour.ask(HostileInput.preparation)?.isLike(#"{"ok":true,*"#) == true)
        let inputs = HostileInput.all
        #expect(inputs.count > 1_000)
        #expect(Set(inputs.map(\.name)).count == inputs.count, "each input has a name of its own")
        for input in inputs {
            let socket = try daemon.connect(door)
            let first = try fault(input, socket, neighbour)
            #expect(first == nil, "\(input), first")
            let other = try daemon.connect(door)
            #expect(try other.isServed())
            let later = try fault(input, other, neighbour)
            #expect(later == nil, "\(input), later")
        }
        #expect(!daemon.process.hasEnded)
        let document = try neighbour.ask(#"{"op":"get","doc":"hostile"}"#) ?? ""
        #expect(document.isLike(#"*"version":{"n1":1}*"#), "something was applied: \(document)")
        #expect(try neighbour.ask(#"{"op":"list"}"#)?.isLike(#"*"documents":[{"doc":"hostile",*}]}"#) == true)
    }

    @Test func `two hundred connections of noise at once each get their ten answers and their end`() throws {
        let daemon = try TestDaemon()
        let neighbour = try daemon.connect(.unix)
        let seed = UInt64.random(in: 0...UInt64.max)
        let attackers = try (0..<200).map { try daemon.connect($0.isMultiple(of: 2) ? .unix : .tcp) }
        let noise = (0..<200).map { HostileInput.noise(seed: seed &+ $0) }
        for (input, attacker) in zip(noise, attackers) {
            try attacker.send(input.parts[0])
            #expect(try neighbour.isServed())
        }
        for (input, attacker) in zip(noise, attackers) {
            var answers: [String] = []
            while let line = try attacker.line() { answers.append(line) }
            let isRight =
                answers.count == input.answers.count && zip(input.answers, answers).allSatisfy { $0.accepts($1) }
            #expect(isRight, "\(input): \(answers)")
        }
        #expect(try neighbour.isServed())
        #expect(!daemon.process.hasEnded)
    }

    @Test func `clients that send a byte at a time are answered, and nobody waits for them`() throws {
        let daemon = try TestDaemon()
        let neighbour = try daemon.connect(.tcp)
        let slow = try (0..<20).map { try daemon.connect($0.isMultiple(of: 2) ? .unix : .tcp) }
        for byte in Array(#"{"id":"广东省","op":"ping"}"#.utf8) + [0x0D, 0x0A] {
            for client in slow { try client.send([byte]) }
            #expect(try neighbour.isServed())
        }
        for client in slow { #expect(try client.line()?.isLike(#"{"id":"广东省","ok":true,"time":*}"#) == true) }
    }

    @Test(arguments: Door.allCases, [false, true])
    func `a client may leave in the middle of anything`(_ door: Door, _ isReset: Bool) throws {
        let daemon = try TestDaemon()
        let neighbour = try daemon.connect(.unix)
        #expect(try neighbour.ask(HostileInput.preparation)?.isLike(#"{"ok":true,*"#) == true)
        let before = try daemon.descriptorCount()
        let conversation = Array(
            (#"{"op":"hello","name":"x"}"# + "\n" + #"{"op":"subscribe","doc":"hostile","presence":true}"# + "\n"
                + #"{"op":"select","doc":"hostile","section":"a"}"# + "\r\n" + #"{"op":"get","doc":"hostile"}"# + "\n"
                + #"{"op":"delete","doc":"hostile"}"#).utf8)
        for place in 0...conversation.count {
            let client = try daemon.connect(door)
            try client.send(Array(conversation[..<place]))
            if isReset { client.resetAtEnd() }
            if place.isMultiple(of: 16) { #expect(try neighbour.isServed()) }
        }
        try until("every one of them is gone") { try daemon.descriptorCount() == before }
        // The last line had no end: the document is there, and nobody is said to look at it.
        let list = try neighbour.ask(#"{"op":"list"}"#) ?? ""
        #expect(list.isLike(#"*"doc":"hostile",*"subscribers":0*"#), "\(list)")
    }

    @Test func `the workbench finds nothing that does not hold`() throws {
        let scratch = try Scratch()
        let hostile = try Process(
            productsDirectory + "/accordion-bench", ["hostile", "--connections", "100"],
            output: scratch.path + "/hostile")
        #expect(try hostile.waitForEnd(seconds: 300) == 0, "\(contents(scratch.path + "/hostile"))")
        let sleepers = try Process(
            productsDirectory + "/accordion-bench", ["sleepers", "--sleepers", "10", "--toggles", "20000"],
            output: scratch.path + "/sleepers")
        #expect(try sleepers.waitForEnd(seconds: 300) == 0, "\(contents(scratch.path + "/sleepers"))")
        #expect(contents(scratch.path + "/sleepers").contains("events for one awake: 20000"))
    }
}
