// Why this file exists: who may do what is one table, and is asked before anything else is looked at.

import Wire

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
    func allow(_ action: Request.Action) throws(Failure) {
        guard let needed = action.roleNeeded, role < needed else { return }
        throw Failure(.forbidden, "the role \(role.name) does not allow this; \(needed.name) would")
    }
}
