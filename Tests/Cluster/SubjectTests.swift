// Why this file exists: a name that reached the broker's syntax could read what it must not, or write it.

import AccordionModel
import TestSupport
import Testing

@testable import Cluster

@Suite struct SubjectTests {
    @Test func `a subject has two words whatever the document is called`() throws {
        let subjects = Subjects(name: "accordion")
        let texts = [
            "a.b", "a_b", "a-b", "广东省", "a..b", "JS.API", "peers.all", "é", "É", String(repeating: "省", count: 42),
        ]
        var seen: Set<String> = []
        for text in texts {
            let subject = subjects.document(try #require(DocumentName(text), "\(text)"))
            #expect(subject.split(separator: ".", omittingEmptySubsequences: false).count == 2, "\(subject)")
            #expect(
                subject.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: ">") }
            )
            #expect(seen.insert(subject).inserted)
            #expect(subject.utf8.count < 512)
        }
        #expect(subjects.document(try #require(DocumentName("a.b"))) == "accordion.a=2Eb")
        // Names of runs come from other daemons.
        for text in ["*", ">", "a b", "a.b", "a\r\nPUB x 0", ""] {
            #expect(subjects.one(text).split(separator: ".").count <= 4)
            #expect(
                subjects.one(text).utf8.allSatisfy {
                    $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "*") && $0 != UInt8(ascii: ">")
                })
        }
    }

    @Test func `what tells messages apart differs in each of its parts`() throws {
        var seen: Set<String> = []
        for document in ["a", "a.b", "a_b"] {
            for counter in [1, 11] as [Int64] { seen.insert(Subjects.id(try id(counter, document))) }
        }
        #expect(seen.count == 6)
    }
}
