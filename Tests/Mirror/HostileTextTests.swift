// That no text steers the terminal through the mirror's screen, wherever on it it stands.

import AccordionModel
import Bytes
import Mirror
import TestSupport
import Testing
import Wire

@Suite struct HostileTextTests {
    @Test func `three hundred hostile texts are drawn as visible marks on every line of the mirror`() throws {
        let seed = freshSeed()
        let texts = HostileStrings.all(seed: seed)
        var builder = DocumentBuilder()
        for text in texts {
            var attributes = SectionAttributes()
            attributes.task = false
            attributes.open = true
            try builder.beginSection(id: nil, title: text, attributes: attributes, hasContent: true)
            try builder.addText(text)
            try builder.addCode(text, language: text)
            builder.endSection()
        }
        var attributes = DocumentAttributes()
        attributes.title = texts[0]
        let document = try builder.finish(attributes)
        var daemon = ModelDaemon()
        let event = try #require(try daemon.put(document))
        var view = MirrorView(documentName, rows: 40, columns: 60)
        view.connected()
        view.receive(event)
        var drawn = 0
        func look() {
            let screen = view.screen()
            for row in 0..<screen.rows {
                #expect(HostileStrings.harm(in: screen.line(row), besides: []) == nil, "seed \(seed), row \(row)")
                drawn += 1
            }
        }
        look()
        for _ in 0..<60 {
            _ = view.perform(.pageDown)
            look()
        }
        for text in texts {
            view.tell(text)
            look()
            view.disconnected(reason: text)
            look()
        }
        #expect(drawn > 10_000)
    }
}
