// Why this file exists: the system's user database may be a file or a server far away. It is asked by a call that opens
// descriptors and waits, and everybody else waits with it; so it is not asked for each of ten thousand connections.

/// Names of users as the system has them, remembered for a minute.
package final class UserNames {
    package static let rememberedMilliseconds = 60_000
    /// Far more than share a machine; past it everything is forgotten.
    private static let usersMax = 4_096

    private let lookUp: (UInt32) throws(SystemError) -> String?
    private var known: [UInt32: (name: String?, askedMilliseconds: Int)] = [:]

    package convenience init() { self.init { user throws(SystemError) in try System.userName(user) } }

    package init(_ lookUp: @escaping (UInt32) throws(SystemError) -> String?) { self.lookUp = lookUp }

    /// The name of a user; nil where the system has none. Where it can't be asked now, what it said before is still true,
    /// however long ago: a user must not change names because descriptors ran out.
    package func name(of user: UInt32, nowMilliseconds: Int) -> String? {
        let before = known[user]
        if let before, nowMilliseconds - before.askedMilliseconds < Self.rememberedMilliseconds { return before.name }
        do throws(SystemError) {
            let name = try lookUp(user)
            if known.count >= Self.usersMax { known = [:] }
            known[user] = (name, nowMilliseconds)
            return name
        } catch {
            return before?.name
        }
    }
}
