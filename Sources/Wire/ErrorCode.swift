// Why this file exists: programs decide by a code and people read a message. The codes are part of the protocol; every
// refusal that leaves the daemon is made here.

import AccordionModel

package enum ErrorCode: String, Sendable, CaseIterable {
    case badJSON = "bad_json"
    case badUTF8 = "bad_utf8"
    case tooDeep = "too_deep"
    case lineTooLong = "line_too_long"
    case tooManyErrors = "too_many_errors"
    case badRequest = "bad_request"
    case unknownOp = "unknown_op"
    case unsupportedProtocol = "unsupported_protocol"
    case unauthorized
    case forbidden
    case unknownDocument = "unknown_document"
    case unknownSection = "unknown_section"
    case documentExists = "document_exists"
    case invalidDocument = "invalid_document"
    case tooLarge = "too_large"
    case notOpenable = "not_openable"
    case notATask = "not_a_task"
    case headersHidden = "headers_hidden"
    case singleMode = "single_mode"
    case mustStayOpen = "must_stay_open"
    case locked
    case nothingToUndo = "nothing_to_undo"
    case tooManyRequests = "too_many_requests"
    case tooManyClients = "too_many_clients"
    case storageFailed = "storage_failed"
    case readOnly = "read_only"
    case shuttingDown = "shutting_down"
}

/// A refusal as it stands in a reply.
package struct Failure: Error, Sendable, Equatable {
    package let code: ErrorCode
    /// What was wrong and where; text from a client is quoted in it.
    package let message: String
    /// Position in a batch.
    package let at: Int?
    /// The request's `id`, where it could be read.
    package var id: RequestID?
    /// Whether the line was no JSON object within the limits, so that it counts as broken.
    package let isBrokenLine: Bool

    package init(
        _ code: ErrorCode, _ message: String, at: Int? = nil, id: RequestID? = nil, isBrokenLine: Bool = false
    ) {
        self.code = code
        self.message = message
        self.at = at
        self.id = id
        self.isBrokenLine = isBrokenLine
    }

    package init(_ fault: JSONFault) {
        let code: ErrorCode
        var isBroken = true
        switch fault {
        case .badUTF8: code = .badUTF8
        case .badJSON: code = .badJSON
        case .tooDeep: code = .tooDeep
        case .repeatedMember:
            code = .badRequest
            isBroken = false
        case .outOfMemory:
            code = .tooLarge
            isBroken = false
        }
        self.init(code, fault.message, isBrokenLine: isBroken)
    }

    package init(_ fault: InvalidDocument) {
        let place = fault.place.map { ", at the section \(JSONEscape.quoted($0))" } ?? ""
        self.init(fault.isTooLarge ? .tooLarge : .invalidDocument, fault.reason + place)
    }

    package init(_ refusal: Refusal, in document: DocumentName) {
        let name = JSONEscape.quoted(document.text)
        let section = refusal.section.map { $0.isTop ? "the document" : JSONEscape.quoted($0.text) } ?? "it"
        let (code, message): (ErrorCode, String) =
            switch refusal.reason {
            case .unknownDocument: (.unknownDocument, "no document \(name)")
            case .documentExists: (.documentExists, "the document \(name) exists already")
            case .unknownSection: (.unknownSection, "no section \(section) in \(name)")
            case .notOpenable: (.notOpenable, "\(section) in \(name) is a row: it has nothing inside to open")
            case .notATask: (.notATask, "\(section) in \(name) is no task")
            case .headersHidden: (.headersHidden, "\(name) hides its headers: everything in it is shown")
            case .singleMode: (.singleMode, "of the sections in \(section) only one can be open")
            case .mustStayOpen:
                (.mustStayOpen, "\(section) in \(name) can't be closed, only replaced by another one's opening")
            case .locked: (.locked, "\(section) in \(name) is locked")
            case .tooLarge(let what): (.tooLarge, what)
            }
        self.init(code, message, at: refusal.at)
    }
}
