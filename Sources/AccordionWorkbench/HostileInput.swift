// Why this file exists: whatever a client sends, the daemon answers as the protocol says, stays alive and serves the others.
// What clients send that they should not is data: a table, read by the tests one input after the other and by the
// workbench many thousand times at once.

/// Something that no proper client sends, and what has to come of it.
package struct HostileInput: Sendable, CustomStringConvertible {
    /// One line that answers.
    package enum Answer: Sendable, Equatable {
        case success
        /// A refusal with one of these codes.
        case refusal([String])

        static func refusal(_ code: String) -> Answer { .refusal([code]) }

        /// Texts of clients stand in quotes in a line, their own quotes escaped; so no client can forge what is looked for.
        package func accepts(_ line: String) -> Bool {
            switch self {
            case .success: line.contains(#""ok":true"#)
            case .refusal(let codes): codes.contains { line.contains(#""code":"\#($0)""#) }
            }
        }
    }

    package enum Ending: Sendable {
        /// The connection goes on: a ping after it is answered.
        case goesOn
        /// The daemon closes the connection.
        case closed
        /// A line has begun that never ends; the client leaves.
        case unfinished
    }

    package let name: String
    /// What is sent, in pieces that the daemon is to read apart from each other.
    package let parts: [[UInt8]]
    /// The lines that answer, in order.
    package let answers: [Answer]
    package let ending: Ending

    init(_ name: String, parts: [[UInt8]], _ answers: [Answer], _ ending: Ending = .goesOn) {
        self.name = name
        self.parts = parts
        self.answers = answers
        self.ending = ending
    }

    /// One line, to which the LF is added.
    init(_ name: String, line: [UInt8], _ answer: Answer) { self.init(name, parts: [line + [0x0A]], [answer]) }

    init(_ name: String, _ line: String, _ answer: Answer) { self.init(name, line: Array(line.utf8), answer) }

    package var description: String { name }

    package static var all: [HostileInput] {
        otherProtocols + noObjects + encodings + splits + deep + repeatedNames + numbers + large
    }

    /// The document that some of the inputs speak of has to be there: this makes it.
    package static let preparation =
        #"{"op":"create","doc":"hostile","content":[{"title":"a","content":[{"title":"b","task":true}]}]}"#
}

extension HostileInput {
    /// Bytes that mean nothing: ten broken lines, and the end. Which bytes follows from the seed.
    package static func noise(seed: UInt64, bytes: Int = 64 << 10) -> HostileInput {
        var state = seed
        var noise: [UInt8] = []
        noise.reserveCapacity(bytes + 8)
        while noise.count < bytes {
            // SplitMix64 (Steele, Lea, Flood 2014).
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            mixed ^= mixed >> 31
            for shift in stride(from: 0, to: 64, by: 8) {
                noise.append(UInt8(truncatingIfNeeded: mixed >> UInt64(shift)))
            }
        }
        let broken = Answer.refusal(["bad_utf8", "bad_json"])
        return HostileInput(
            "64 KiB of noise, seed \(seed)", parts: [noise],
            Array(repeating: broken, count: 9) + [.refusal("too_many_errors")], .closed)
    }
}
