// Why this file exists: ten thousand clients must not make one long event: presence names at most 64, in at most 16 KiB.
import AccordionModel
import Testing
import Wire

struct PresenceLimitTests {
    private func told(_ clients: [PresentClient]) -> [PresentClient]? {
        guard let name = DocumentName("d"),
            case .presence(_, let told, _)? = event({ $0.presence(name, clients, count: 9) })
        else { return nil }
        return told
    }

    private func client(ofBytes bytes: Int) -> PresentClient {
        let bare = #"{"session":"s1","name":"","section":null,"presenting":false}"#.utf8.count
        return PresentClient(
            session: "s1", name: String(repeating: "x", count: bytes - bare), section: nil, isPresenting: false)
    }

    @Test(arguments: [63, 64, 65]) func `it names at most 64`(count: Int) {
        #expect(told(Array(repeating: client(ofBytes: 80), count: count))?.count == min(count, 64))
    }

    @Test(arguments: [-1, 0, 1]) func `what it names takes at most 16 KiB`(excess: Int) {
        // A comma stands between the two.
        let clients = [client(ofBytes: 10_000), client(ofBytes: 16_384 - 10_001 + excess)]
        #expect(told(clients)?.count == (excess <= 0 ? 2 : 1))
    }
}
