// Why this file exists: who may do what is one table, and is asked before anything else is looked at.

import AccordionModel
import Bytes
import Wire

/// Which documents somebody may see: `*` stands for any number of characters.
package struct DocumentPattern: Sendable, Equatable {
    private let bytes: [UInt8]

    package init(_ text: String) { bytes = Array(text.utf8) }

    package func matches(_ name: DocumentName) -> Bool {
        let text = Array(name.text.utf8)
        var (place, at) = (0, 0)
        var star: (place: Int, at: Int)?
        while at < text.count {
            if place < bytes.count, bytes[place] == UInt8(ascii: "*") {
                star = (place, at)
                place += 1
            } else if place < bytes.count, bytes[place] == text[at] {
                place += 1
                at += 1
            } else if let last = star {
                // The star takes one character more.
                star = (last.place, last.at + 1)
                place = last.place + 1
                at = last.at + 1
            } else {
                return false
            }
        }
        return bytes[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }
}

/// What somebody may do, and with which documents.
package struct Rights: Sendable, Equatable {
    package var role: Role
    /// Nil: all documents.
    package var documents: [DocumentPattern]?

    package init(role: Role, documents: [DocumentPattern]? = nil) {
        self.role = role
        self.documents = documents
    }

    package func allows(_ name: DocumentName) -> Bool {
        guard let documents else { return true }
        return documents.contains { $0.matches(name) }
    }

    /// Whether all that is allowed here is allowed there.
    package func isWithin(_ other: Rights) -> Bool {
        role <= other.role && (other.documents == nil || other.documents == documents)
    }
}

/// Whoever has shown a token that is known.
package struct Admitted: Sendable, Equatable {
    package var rights: Rights
    /// The name that the token fixes.
    package var name: String
    /// Tells one token from another, so that it is known later whether it still counts.
    package var credential: String

    package init(rights: Rights, name: String, credential: String) {
        self.rights = rights
        self.name = name
        self.credential = credential
    }
}

/// Whoever knows the tokens.
package protocol Admission: AnyObject {
    /// Nil for a token that nobody has.
    func admit(token: String) -> Admitted?
}

extension Request.Action {
    /// The least role that may ask for it; nil where anyone may.
    var roleNeeded: Role? {
        switch self {
        case .hello, .ping: nil
        case .list, .get, .subscribe, .unsubscribe, .watchList, .select, .history: .viewer
        case .gesture, .batch, .present, .undo, .redo: .toggler
        case .create, .replace, .delete: .editor
        case .status: .admin
        }
    }
}

extension Session {
    /// Refused alike whether what it asks for is there or not, where it may not see it.
    func allow(_ action: Request.Action) throws(Failure) {
        if let needed = action.roleNeeded, rights.role < needed {
            throw Failure(.forbidden, "the role \(rights.role.name) does not allow this; \(needed.name) would")
        }
        guard rights.documents != nil, let name = action.document, !rights.allows(name) else { return }
        if case .create = action {
            throw Failure(.forbidden, "the document \(JSONEscape.quoted(name.text)) is not for you")
        }
        throw Failure(Refusal(.unknownDocument), in: name)
    }
}

extension Hub {
    /// Before a token was shown, where one is needed, a connection may only greet.
    static var strikesMax: Int { 3 }
    static var unadmittedInputBytesMax: Int { 4_096 }

    func mayAsk(_ request: Request, _ session: Session) -> Bool {
        if session.isAdmitted { return true }
        if case .hello = request.action { return true }
        strike(session, Failure(.unauthorized, "a token comes first: {\"op\":\"hello\",\"token\":…}", id: request.id))
        return false
    }

    /// Takes the token of a greeting, where one is needed or shown. Where the door has let somebody in already, a token that
    /// is not known here, or allows no more, changes nothing: a client shows it wherever it goes. Returns whether the name
    /// is the token's.
    func admit(_ session: Session, _ hello: Request.Hello) throws(Failure) -> Bool {
        guard let token = hello.token else {
            guard session.isAdmitted else { throw Failure(.unauthorized, "a token is needed here") }
            return false
        }
        guard let admitted = admission?.admit(token: token) else {
            guard session.isAdmitted else { throw Failure(.unauthorized, "no such token") }
            return false
        }
        if session.isAdmitted, admitted.rights.isWithin(session.rights) { return false }
        session.isAdmitted = true
        session.rights = admitted.rights
        session.name = admitted.name
        session.credential = admitted.credential
        session.framer.lineBytesMax = settings.limits.lineBytesMax
        return true
    }

    /// The third refusal before a token ends the connection.
    func strike(_ session: Session, _ failure: Failure) {
        session.strikes += 1
        let start = turn.replies.count
        refuse(session, failure)
        record(session, from: start, failure.id, .nothing)
        if session.strikes >= Hub.strikesMax { end(session) }
    }

    /// What is allowed has changed: `rights` tells what each may do now, nil where nothing. Whoever may do less than before
    /// is told goodbye.
    package func review(_ rights: (Session) -> Rights?) {
        for session in sessions.values.sorted(by: { $0.number < $1.number })
        where !session.isEnding && session.isAdmitted {
            if let now = rights(session), session.rights.isWithin(now) {
                session.rights = now
            } else {
                sendAway(session)
            }
        }
    }

    private func sendAway(_ session: Session) {
        let frame = Frame()
        EventWriter(frame).goodbye("unauthorized")
        frame.seal()
        if let request = session.parked {
            session.parked = nil
            refuse(session, Failure(.unauthorized, "what allowed this was taken away", id: request.id))
        }
        enter(session)
        end(session)
        deliver(Piece(frame, isDroppable: false), to: session)
    }
}
