// Why this file exists: bytes that wait for slow clients are memory that nobody sees. Frames tell a ledger what they
// hold, so that a test can say whether the last of them was let go when it should have been.

/// The sum of the capacities, in bytes, of the frames alive that were given this ledger.
@usableFromInline package final class FrameLedger {
    @usableFromInline package internal(set) var liveBytes = 0

    package init() {}

    @usableFromInline func grow(by bytes: Int) { liveBytes += bytes }
    @usableFromInline func shrink(by bytes: Int) { liveBytes -= bytes }
}
