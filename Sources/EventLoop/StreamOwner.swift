// Why this file exists: a stream tells what happens to it in five words. Whoever owns streams says here what it does then,
// and keeps what waits to be sent, so that whoever sets limits can hold them against it.

package import Bytes

/// Who a stream reports to. The stream holds its owner strongly until `streamClosed` has returned, and the owner usually
/// holds its stream: that circle is opened by closing, which every stream needs anyway, and costs neither a side table nor
/// a check, as a weak reference would. After `close` has been called no word comes but `streamClosed`.
package protocol StreamOwner: AnyObject {
    /// What waits to be sent, in order. The owner appends to it, and may drop events; the stream alone consumes from it.
    /// It is emptied when the stream closes.
    var outbox: Outbox { get set }

    /// Lends it for a moment, in which nothing else of the owner may be used: taken out and put back it would be copied for
    /// each write.
    func withOutbox(_ body: (inout Outbox) -> Void)

    /// Bytes have come. They lie in the loop's buffer, which the next read overwrites.
    func streamRead(_ stream: Stream, _ bytes: Span<UInt8>)

    /// The other side sends no more. It may still read; what is queued, and what is queued from here on, is still sent. An
    /// owner that has nothing more to say closes.
    func streamEnded(_ stream: Stream)

    /// All of a backlog has left: `flush` had returned false, and now nothing is queued.
    func streamDrained(_ stream: Stream)

    /// The connection is lost. The stream closes itself when this returns.
    func streamFailed(_ stream: Stream, _ error: SystemError)

    /// The last word.
    func streamClosed(_ stream: Stream)
}

extension StreamOwner {
    package func withOutbox(_ body: (inout Outbox) -> Void) { body(&outbox) }
}
