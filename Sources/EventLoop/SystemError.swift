// Why this file exists: a system call that fails is an expected thing. It is told by name and number, so that a caller can
// decide and a person can read.

internal import Glibc

/// A call to the system that failed.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The call, as its manual page names it.
    package let call: String
    /// The `errno` of the failure, positive.
    package let code: Int32

    package init(_ call: String, _ code: Int32) {
        self.call = call
        self.code = code
    }

    /// From a libuv result, which is a negated `errno`.
    init(_ call: String, libuv result: Int32) { self.init(call, -result) }

    /// A connection that the other side has ended or that was lost on the way: nothing that anyone here did wrong.
    package var isDisconnection: Bool {
        [ECONNRESET, EPIPE, ETIMEDOUT, ECONNABORTED, ENOTCONN, EHOSTUNREACH, ENETUNREACH].contains(code)
    }

    /// Nothing is left to accept a connection with: descriptors of this process or of the system, or memory.
    package var isExhaustion: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }

    /// Nobody listens at the address.
    package var isNobodyThere: Bool { code == ECONNREFUSED || code == ENOENT }

    package var description: String { "\(call): \(System.message(code))" }
}
