// Why this file exists: what stands between a connection and whoever uses it, such as encryption, is easiest where the user
// need not know: it gets one end of a pair, and the go-between has the other.

internal import Glibc

extension Stream {
    /// Two streams of which each reads what the other writes.
    package static func pair(_ loop: Loop) throws(SystemError) -> (Stream, Stream) {
        let (one, other) = try System.socketPair()
        let second = Descriptor(other)
        let first = try Stream(loop, adopting: Descriptor(one), isUnix: true)
        do throws(SystemError) {
            return (first, try Stream(loop, adopting: second, isUnix: true))
        } catch {
            first.close()
            throw error
        }
    }
}
