// Why this file exists: "at most one section of a single group is open" must hold on every replica whatever was written
// where. So which one is open is derived from the children's own flags, by one function, and stored nowhere.

import Causality

/// What the children of a single group say of themselves, and which of them is therefore open.
struct Group: Sendable {
    struct Claim: Sendable {
        let stamp: Stamp
        let dot: Dot
        /// The claiming child's.
        let path: SectionPath

        func isLater(than other: Claim) -> Bool { stamp == other.stamp ? dot > other.dot : stamp > other.stamp }
    }

    /// Below this no storage is worth giving back.
    static let capacityMin = 16

    /// Children whose own flag says open, each with the latest write that says so.
    private(set) var claims: [Int32: Claim] = [:]
    /// How many children's own flag says closed; which of them, the view knows.
    private(set) var closedCount = 0
    /// The first child that is open where nobody has touched the group.
    let initial: Int32?
    /// The first child that can be opened, where one must stay open.
    let fallback: Int32?

    init(initial: Int32?, fallback: Int32?) {
        self.initial = initial
        self.fallback = fallback
    }

    mutating func update(_ child: Int32, claim: Claim?, wasClosed: Bool, isClosed: Bool) {
        if let claim {
            claims[child] = claim
        } else if claims.removeValue(forKey: child) != nil {
            shrink()
        }
        closedCount += (isClosed ? 1 : 0) - (wasClosed ? 1 : 0)
    }

    /// Every request that writes to a group copies its claims, at the cost of their storage and not of their number, which
    /// is one or none once a crowd of them – all that were open when the group became single – is settled.
    private mutating func shrink() {
        guard claims.capacity > Group.capacityMin, claims.count < claims.capacity / 4 else { return }
        var smaller: [Int32: Claim] = [:]
        smaller.reserveCapacity(claims.count)
        for (child, claim) in claims { smaller[child] = claim }
        claims = smaller
    }

    /// The open child: the one with the latest claim; without a claim none if one was ever written, else the initial one;
    /// but never none where one must stay open. Of claims made by one operation (when any number could be open) the one
    /// with the highest path counts.
    var shown: Int32? {
        if let latest = claims.min(by: Group.isBefore) { return latest.key }
        return (closedCount == 0 ? initial : nil) ?? fallback
    }

    /// The claiming children, the latest first.
    var claimsLatestFirst: [Int32] { claims.sorted(by: Group.isBefore).map(\.key) }

    private static func isBefore(_ left: (key: Int32, value: Claim), _ right: (key: Int32, value: Claim)) -> Bool {
        left.value.dot == right.value.dot
            ? right.value.path.text.utf8.lexicographicallyPrecedes(left.value.path.text.utf8)
            : left.value.isLater(than: right.value)
    }
}
