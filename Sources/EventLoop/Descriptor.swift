// Why this file exists: a descriptor that is opened must be closed on every way out, the failing ones too. One owner, ended
// by the compiler.

/// An open file descriptor, closed when its owner lets it go.
struct Descriptor: ~Copyable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    deinit { System.close(number) }

    /// Hands the descriptor to somebody else, who closes it.
    consuming func release() -> Int32 {
        let number = self.number
        discard self
        return number
    }
}
