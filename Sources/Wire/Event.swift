// Why this file exists: what happened is told to everyone who watches, in a line that is written once for all of them.

import AccordionModel
import Bytes
import Causality

/// Why a snapshot is sent.
package enum SnapshotReason: String, Sendable, CaseIterable {
    case subscribed, replaced, resync, created
}

/// One client, as presence tells of it.
package struct PresentClient: Sendable, Equatable {
    package var session: String
    package var name: String
    package var section: SectionPath?
    package var isPresenting: Bool

    package init(session: String, name: String, section: SectionPath?, isPresenting: Bool) {
        self.session = session
        self.name = name
        self.section = section
        self.isPresenting = isPresenting
    }
}

extension JSONWriter {
    /// The members `clients`, at most 64 of them in at most 16 KiB, and `count`.
    package func presence(_ clients: [PresentClient], count: Int) {
        raw(",\"clients\":[")
        let start = frame.count
        for (number, client) in clients.prefix(EventWriter.presentClientsMax).enumerated() {
            let before = frame.count
            if number > 0 { raw(",") }
            present(client)
            if frame.count - start > EventWriter.presenceBytesMax {
                frame.truncate(to: before)
                break
            }
        }
        raw("],\"count\":")
        integer(count)
    }

    private func present(_ client: PresentClient) {
        raw("{\"session\":")
        string(client.session)
        raw(",\"name\":")
        string(client.name)
        raw(",\"section\":")
        if let section = client.section { string(section.text) } else { null() }
        raw(",\"presenting\":")
        bool(client.isPresenting)
        raw("}")
    }
}

/// Writes events into a frame, a line each.
package struct EventWriter {
    /// With more changes than this an event carries the whole state instead.
    package static let changesMax = 1_000

    private let writer: JSONWriter

    package init(_ frame: Frame) { writer = JSONWriter(frame) }

    package func snapshot(
        _ name: DocumentName, _ reason: SnapshotReason, epoch: String, _ state: SharedState, _ view: View
    ) {
        begin("{\"event\":\"snapshot\",\"doc\":", name)
        writer.raw(",\"reason\":")
        writer.string(reason.rawValue)
        writer.raw(",\"epoch\":")
        writer.string(epoch)
        writer.version(member: state.version)
        writer.raw(",\"document\":")
        writer.document(view.document, name: name)
        writer.raw(",\"state\":")
        writer.state(state, view)
        writer.raw("}\n")
    }

    /// `state` is asked for only where it is told whole: handing it over would copy it.
    package func changed(
        _ name: DocumentName, _ applied: Applied, _ version: VersionVector, _ view: View,
        _ state: @autoclosure () -> SharedState
    ) {
        begin("{\"event\":\"changed\",\"doc\":", name)
        writer.version(member: version)
        writer.raw(",\"by\":")
        writer.string(applied.by)
        writer.raw(",\"at\":")
        writer.integer(Int(applied.stamp.milliseconds))
        if applied.changes.count > EventWriter.changesMax {
            writer.raw(",\"bulk\":true,\"state\":")
            writer.state(state(), view)
        } else {
            writer.raw(",\"changes\":")
            writer.changes(applied.changes, in: view.document)
            if !applied.conflicts.isEmpty {
                writer.raw(",\"conflicts\":")
                writer.conflicts(applied.conflicts)
            }
        }
        writer.raw("}\n")
    }

    /// Brings a client to the present that has the content but missed changes of flags; it is the work of many.
    package func caughtUp(_ name: DocumentName, _ state: SharedState, _ view: View, milliseconds: Int64) {
        begin("{\"event\":\"changed\",\"doc\":", name)
        writer.version(member: state.version)
        writer.raw(",\"by\":\"\",\"at\":")
        writer.integer(Int(milliseconds))
        writer.raw(",\"bulk\":true,\"state\":")
        writer.state(state, view)
        writer.raw("}\n")
    }

    package func deleted(_ name: DocumentName, by: String) {
        begin("{\"event\":\"deleted\",\"doc\":", name)
        writer.raw(",\"by\":")
        writer.string(by)
        writer.raw("}\n")
    }

    package func listed(_ name: DocumentName, title: String) {
        begin("{\"event\":\"listed\",\"doc\":", name)
        writer.raw(",\"title\":")
        writer.string(title)
        writer.raw("}\n")
    }

    package func unlisted(_ name: DocumentName) {
        begin("{\"event\":\"unlisted\",\"doc\":", name)
        writer.raw("}\n")
    }

    /// At most 64 clients in at most 16 KiB; `count` says how many there are.
    package func presence(_ name: DocumentName, _ clients: [PresentClient], count: Int) {
        begin("{\"event\":\"presence\",\"doc\":", name)
        writer.presence(clients, count: count)
        writer.raw("}\n")
    }

    package static let presentClientsMax = 64
    package static let presenceBytesMax = 16 << 10

    /// The broker of the cluster has a write; `version` is the document's with it.
    package func replicated(_ name: DocumentName, _ version: VersionVector) {
        begin("{\"event\":\"replicated\",\"doc\":", name)
        writer.version(member: version)
        writer.raw("}\n")
    }

    package func goodbye(_ reason: String) {
        writer.raw("{\"event\":\"goodbye\",\"reason\":")
        writer.string(reason)
        writer.raw("}\n")
    }

    private func begin(_ opening: StaticString, _ name: DocumentName) {
        writer.raw(opening)
        writer.string(name.text)
    }
}
