// Why this file exists: libFuzzer looks for bytes that reach code which no test reaches. What it finds is given to the framer,
// to both readers of lines and to a whole hub, under the address sanitizer; and more than a crash counts as a fault.
// `Tests/Fuzz/run` builds and runs it; in other builds this is a library that nobody calls.

import AccordionModel
import Bytes
import Causality
import Hub
import Wire

/// Called by libFuzzer with each input; also by nobody else.
@_cdecl("LLVMFuzzerTestOneInput")
package func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    LineFuzzer.check(bytes)
    return 0
}

package enum LineFuzzer {
    private static var lineBytesMax: Int { 300 }
    private static var documentBytesMax: Int { 900 }

    /// Traps where something is wrong with how `bytes` are taken.
    package static func check(_ bytes: [UInt8]) {
        let lines = linesAtOnce(bytes)
        precondition(linesInPieces(bytes) == lines, "where the reads are cut changes what the lines are")
        let (requests, answers) = (RequestReader(), ServerLineReader())
        for line in lines {
            checkRequest(line, requests, answers)
            do throws(Failure) { _ = try answers.read(line.span) } catch { checkFailure(error, answers) }
        }
        checkHub(bytes, answers)
    }

    // MARK: - Lines

    private static func linesAtOnce(_ bytes: [UInt8]) -> [[UInt8]] {
        var framer = LineFramer(lineBytesMax: lineBytesMax)
        return lines(bytes, &framer)
    }

    /// The same bytes in pieces whose lengths follow from them.
    private static func linesInPieces(_ bytes: [UInt8]) -> [[UInt8]] {
        var framer = LineFramer(lineBytesMax: lineBytesMax)
        var found: [[UInt8]] = []
        for piece in pieces(bytes) { found += lines(piece, &framer) }
        return found
    }

    private static func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var start = 0
        var state = UInt64(bytes.count)
        while start < bytes.count {
            state = (state ^ UInt64(bytes[start])) &* 0x100_0000_01b3
            let end = min(bytes.count, start + 1 + Int(state >> 59))
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }

    /// Overlong lines that begin with an even byte are granted more.
    private static func lines(_ bytes: [UInt8], _ framer: inout LineFramer) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var position = 0
        while true {
            switch framer.step(bytes.span, &position) {
            case .line(let range): found.append(Array(bytes[range]))
            case .gathered(let line): found.append(line)
            case .needsPermission(let firstBytes):
                precondition(firstBytes.count <= 256, "no more is shown than was promised")
                if firstBytes[0].isMultiple(of: 2) { framer.grant(bytesMax: documentBytesMax) } else { framer.refuse() }
            case .overlong(let count): found.append(Array("overlong \(count)".utf8))
            case .exhausted:
                precondition(framer.gatheredBytes <= documentBytesMax + 2, "no more is held than is allowed")
                return found
            }
        }
    }

    // MARK: - Requests

    /// What is read can be written, and is then read as the same.
    private static func checkRequest(_ line: [UInt8], _ reader: RequestReader, _ answers: ServerLineReader) {
        do throws(Failure) {
            let written = text(try reader.read(line.span))
            do throws(Failure) {
                let again = try reader.read(Array(written.dropLast()).span)
                precondition(text(again) == written, "a request that was written is read as another")
            } catch {
                // A document whose names were made may come to be longer than it was.
                precondition(error.code == .tooLarge, "a request that was written is not read")
            }
        } catch {
            checkFailure(error, answers)
        }
    }

    private static func text(_ request: Request) -> [UInt8] {
        let frame = Frame()
        request.write(into: frame)
        return frame.withSpan { span in span.indices.map { span[$0] } }
    }

    /// A refusal is one line, and nothing in it steers a terminal.
    private static func checkFailure(_ failure: Failure, _ answers: ServerLineReader) {
        let line = failure.line
        precondition(
            line.last == 0x0A && line.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a refusal is a line")
        do throws(Failure) {
            _ = try answers.read(Array(line.dropLast()).span)
        } catch {
            preconditionFailure("a refusal can be read")
        }
    }

    // MARK: - A hub

    /// One client sends the bytes, another watches; both are sent whole lines that they can read.
    private static func checkHub(_ bytes: [UInt8], _ answers: ServerLineReader) {
        var limits = HubLimits()
        limits.lineBytesMax = lineBytesMax
        limits.documentBytesMax = documentBytesMax
        limits.documentLinesBytesMax = 1_000
        limits.turnBytesMax = 2_000
        guard let node = NodeName("n1") else { return }
        let hub = Hub(HubSettings(node: node, epoch: "e1", server: "fuzz/1", limits: limits))
        hub.moment = Moment(wallMilliseconds: 1_700_000_000_000, steadyMilliseconds: 1_000)
        let origin = Origin(name: "a", isUser: false, role: .admin)
        let (sender, watcher) = (hub.connect(origin), hub.connect(origin))
        hub.receive(
            watcher,
            Array(
                #"""
                {"op":"create","doc":"d","content":[{"id":"a","title":"A","content":[]},{"id":"t","title":"T","task":true}]}
                {"op":"subscribe","doc":"d","presence":true}
                {"op":"watch_list","on":true}

                """#.utf8
            ).span)
        for piece in pieces(bytes) { hub.receive(sender, piece.span) }
        hub.inputEnded(sender)
        var turns = 0
        while hub.hasTurn {
            turns += 1
            precondition(turns < 10_000, "the hub comes to rest")
            hub.tellPresence()
            for session in hub.release(hub.endTurn()) {
                checkOutput(session, answers)
                hub.flushed(session)
            }
        }
        hub.disconnect(watcher)
        hub.disconnect(sender)
        precondition(hub.sessionCount == 0, "all have left")
    }

    private static func checkOutput(_ session: Session, _ answers: ServerLineReader) {
        var output: [UInt8] = []
        session.outbox.forEachUnsent(piecesMax: .max) { piece in
            piece.frame.withSpan { span in output += (piece.lower..<piece.upper).map { span[$0] } }
        }
        session.outbox.consume(output.count)
        precondition(output.isEmpty || output.last == 0x0A, "only whole lines are sent")
        for line in output.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            do throws(Failure) {
                _ = try answers.read(Array(line).span)
            } catch {
                preconditionFailure("a client can read what it is sent: \(error.message)")
            }
        }
    }
}
