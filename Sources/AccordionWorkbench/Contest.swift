// Why this file exists: a daemon and its rivals are asked the same: how long until all have one message, and how many messages
// a second arrive when one client floods. Each is one place with its own words; the measurement is one.

import Glibc

/// A server that is measured, and its words.
struct Contestant {
    let name: String
    let port: UInt16
    let identifier: pid_t
    let hello: [UInt8]
    /// How much a subscriber is answered before it is one: bytes, or messages by their mark.
    let helloAnswer: (bytes: Int, messages: Int)
    let publisherHello: [UInt8]
    /// Said in turn.
    let messages: [[UInt8]]
    let mark: UInt8

    init(_ running: RunningRival) {
        let rival = running.rival
        name = rival.name
        port = running.port
        identifier = running.identifier
        hello = rival.hello
        helloAnswer = (rival.helloAnswerBytes, 0)
        publisherHello = rival.publisherHello
        messages = [rival.message]
        mark = rival.mark
    }

    /// A daemon with the document that is toggled.
    init(_ name: String, _ place: DaemonPlace) throws(BenchFailure) {
        self.name = name
        port = place.port
        identifier = place.identifier
        let create =
            #"{"op":"create","doc":"provinces","title":"t","content":[{"id":"广东省","title":"广东省","content":[{"title":"广州市"},{"title":"深圳市"}]}]}"#
        guard try BenchSocket(.tcp, place).ask(create)?.contains(#""ok":true"#) == true else {
            throw BenchFailure("the document can't be made")
        }
        hello = Array(#"{"op":"subscribe","doc":"provinces"}"#.utf8) + [0x0A]
        helloAnswer = (0, 2)
        publisherHello = []
        messages = ["open", "close"].map {
            Array(#"{"op":"\#($0)","doc":"provinces","section":"广东省","ack":"none"}"#.utf8) + [0x0A]
        }
        mark = 0x0A
    }
}

struct Contest {
    private static let roundsOfOne = 200
    private static let warmUpRounds = 20

    let contestant: Contestant
    let crowd: Crowd
    private let publisher: Publisher

    init(_ contestant: Contestant, subscribers: Int) throws(BenchFailure) {
        self.contestant = contestant
        crowd = try Crowd(subscribers, port: contestant.port, hello: contestant.hello, mark: contestant.mark)
        guard crowd.refused == 0 else { throw BenchFailure("\(contestant.name) refused \(crowd.refused) connections") }
        if contestant.helloAnswer.messages > 0 {
            try crowd.waitFor(messages: contestant.helloAnswer.messages)
        } else {
            try crowd.waitFor(bytes: contestant.helloAnswer.bytes * subscribers)
            // What else a greeting brings must not be taken for the first message.
            usleep(200_000)
        }
        publisher = try Publisher(contestant)
    }

    /// The median time until all have one message, in microseconds.
    func timeToEveryone() throws(BenchFailure) -> Double {
        var times: [Int] = []
        for round in 0..<(Contest.warmUpRounds + Contest.roundsOfOne) {
            let began = Bench.nowMicroseconds
            try publisher.say(round)
            try crowd.waitForNext()
            if round >= Contest.warmUpRounds { times.append(Bench.nowMicroseconds - began) }
            usleep(500)
        }
        return Double(times.sorted()[times.count / 2])
    }

    /// Deliveries a second while `messages` come as fast as they are taken.
    func flood(_ messages: Int) throws(BenchFailure) -> Double {
        let feed = Feed(contestant, messages, publisher.descriptor)
        let began = Bench.nowMicroseconds
        try crowd.waitFor(messages: messages, feed)
        let microseconds = Bench.nowMicroseconds - began
        return Double(messages * crowd.size) * 1_000_000 / Double(max(1, microseconds))
    }

    /// Says one message at a time.
    private final class Publisher {
        private let contestant: Contestant
        let descriptor: Int32

        init(_ contestant: Contestant) throws(BenchFailure) {
            self.contestant = contestant
            descriptor = Crowd.connect(contestant.port)
            guard descriptor >= 0 else { throw BenchFailure("\(contestant.name) takes no publisher") }
            try Contest.write(contestant.publisherHello, to: descriptor)
        }

        deinit { close(descriptor) }

        func say(_ round: Int) throws(BenchFailure) {
            try Contest.write(contestant.messages[round % contestant.messages.count], to: descriptor)
        }
    }

    fileprivate static func write(_ bytes: [UInt8], to descriptor: Int32) throws(BenchFailure) {
        var sent = 0
        while sent < bytes.count {
            let step = unsafe bytes.withUnsafeBytes {
                unsafe send(descriptor, $0.baseAddress?.advanced(by: sent), bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if step < 0, errno == EINTR { continue }
            guard step > 0 else { throw BenchFailure("the publisher was cut off: \(Bench.reason(errno))") }
            sent += step
        }
    }
}

/// Many messages, said as fast as they are taken, between looking at what comes.
final class Feed {
    private static let messagesAtOnce = 500
    private let descriptor: Int32
    private let chunk: [UInt8]
    private let ends: [Int]
    private var sent = 0
    private var rest: Int

    init(_ contestant: Contestant, _ messages: Int, _ descriptor: Int32) {
        self.descriptor = descriptor
        var chunk: [UInt8] = []
        var ends: [Int] = []
        for number in 0..<Feed.messagesAtOnce {
            chunk += contestant.messages[number % contestant.messages.count]
            ends.append(chunk.count)
        }
        (self.chunk, self.ends) = (chunk, ends)
        rest = messages
    }

    var isDone: Bool { rest == 0 }

    /// Says what is taken at once.
    func feed() throws(BenchFailure) {
        while rest > 0 {
            let goal = ends[min(rest, ends.count) - 1]
            let step = unsafe chunk.withUnsafeBytes {
                unsafe send(
                    descriptor, $0.baseAddress?.advanced(by: sent), goal - sent,
                    Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if step < 0, errno == EAGAIN || errno == EINTR { return }
            guard step > 0 else { throw BenchFailure("the publisher was cut off: \(Bench.reason(errno))") }
            sent += step
            if sent == goal {
                rest -= min(rest, ends.count)
                sent = 0
            }
        }
    }
}
