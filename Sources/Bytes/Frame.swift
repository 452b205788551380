// Why this file exists: an event goes to a thousand clients and must be written down once. A frame is that text: it is
// filled by one writer, sealed, and from then on only read, by as many outboxes as wish, until the last of them lets go.
// The storage is raw memory, because the kernel is handed its address and because growing an array would check and copy
// more than is needed. Nothing unsafe shows outside, but for the address itself.

/// Bytes that are appended until `seal()` and never change after it.
@safe @usableFromInline package final class Frame {
    /// What changes of a frame. It stands in memory of its own: stored in the object, each of several accesses a byte would
    /// be checked for overlapping another one, which cost an eighth of the daemon's time.
    @frozen @unsafe @usableFromInline struct Fields {
        @usableFromInline var base: UnsafeMutablePointer<UInt8>
        @usableFromInline var capacity: Int
        @usableFromInline var count = 0
        @usableFromInline var isSealed = false

        @inlinable init(base: UnsafeMutablePointer<UInt8>, capacity: Int) {
            unsafe self.base = unsafe base
            unsafe self.capacity = capacity
        }
    }

    @usableFromInline let fields: UnsafeMutablePointer<Fields>
    @usableFromInline let ledger: FrameLedger?

    @usableFromInline var base: UnsafeMutablePointer<UInt8> {
        @inlinable get { unsafe fields.pointee.base }
        @inlinable set { unsafe fields.pointee.base = newValue }
    }
    @usableFromInline var capacity: Int {
        @inlinable get { unsafe fields.pointee.capacity }
        @inlinable set { unsafe fields.pointee.capacity = newValue }
    }
    /// How many bytes are written.
    @usableFromInline package internal(set) var count: Int {
        @inlinable get { unsafe fields.pointee.count }
        @inlinable set { unsafe fields.pointee.count = newValue }
    }
    @usableFromInline package internal(set) var isSealed: Bool {
        @inlinable get { unsafe fields.pointee.isSealed }
        @inlinable set { unsafe fields.pointee.isSealed = newValue }
    }

    /// `capacityBytes` is a guess that saves growing; the frame doubles when it proves too small.
    package init(capacityBytes: Int = 256, ledger: FrameLedger? = nil) {
        let capacity = max(capacityBytes, 16)
        unsafe fields = .allocate(capacity: 1)
        unsafe fields.initialize(to: Fields(base: .allocate(capacity: capacity), capacity: capacity))
        self.ledger = ledger
        ledger?.grow(by: capacity)
    }

    deinit {
        ledger?.shrink(by: capacity)
        unsafe base.deallocate()
        unsafe fields.deallocate()
    }

    /// Ends the writing. A second call does nothing.
    package func seal() { isSealed = true }

    /// Makes room for `bytes` more and traps if the frame is sealed: whoever still writes then would change what others
    /// have begun to send.
    @inlinable package func reserve(_ bytes: Int) {
        precondition(!isSealed, "a sealed frame is not written to")
        if capacity - count < bytes { grow(by: bytes) }
    }

    @usableFromInline @inline(never) func grow(by bytes: Int) {
        let wanted = max(capacity * 2, count + bytes)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
        unsafe larger.update(from: base, count: count)
        unsafe base.deallocate()
        unsafe base = larger
        ledger?.grow(by: wanted - capacity)
        capacity = wanted
    }

    @inlinable package func append(_ byte: UInt8) {
        reserve(1)
        unsafe base[count] = byte
        count += 1
    }

    @inlinable package func append(_ text: StaticString) {
        if text.hasPointerRepresentation {
            unsafe copy(text.utf8Start, text.utf8CodeUnitCount)
        } else {
            for byte in String(text.unicodeScalar).utf8 { append(byte) }
        }
    }

    @inlinable package func append(utf8 text: String) {
        let copied: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe copy($0) }
        if copied == nil { for byte in text.utf8 { append(byte) } }
    }

    @inlinable package func append(utf8 text: Substring) {
        let copied: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe copy($0) }
        if copied == nil { for byte in text.utf8 { append(byte) } }
    }

    @inlinable package func append(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe copy($0) }
    }

    @inlinable package func append(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { unsafe copy($0) }
    }

    /// Appends `number` in decimal digits, with a sign if it is negative.
    package func append(decimal number: Int) {
        if number < 0 { append(UInt8(ascii: "-")) }
        append(decimal: UInt64(number.magnitude))
    }

    /// Appends `number` in decimal digits.
    package func append(decimal number: UInt64) {
        var digits = 1
        var rest = number / 10
        while rest > 0 {
            digits += 1
            rest /= 10
        }
        reserve(digits)
        rest = number
        var place = count + digits
        repeat {
            place -= 1
            unsafe base[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while place > count
        count += digits
    }

    /// Appends what `body` writes, at most `bytesMax` bytes, with one check of the capacity for all of it.
    @inlinable package func append<Failure: Error>(
        bytesMax: Int, _ body: (inout OutputSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        reserve(bytesMax)
        let room = unsafe UnsafeMutableBufferPointer(start: base + count, count: bytesMax)
        var output = unsafe OutputSpan(buffer: room, initializedCount: 0)
        try body(&output)
        count += unsafe output.finalize(for: room)
    }

    /// Takes back all that was written after the first `newCount` bytes; for a writer that finds its text too long.
    package func truncate(to newCount: Int) {
        precondition(!isSealed && newCount >= 0 && newCount <= count, "only what is there, and unsealed, is taken back")
        count = newCount
    }

    @unsafe @inlinable func copy(_ source: UnsafePointer<UInt8>, _ bytes: Int) {
        reserve(bytes)
        unsafe (base + count).update(from: source, count: bytes)
        count += bytes
    }

    @unsafe @inlinable @inline(__always) func copy(_ source: UnsafeBufferPointer<UInt8>) {
        if let start = source.baseAddress { unsafe copy(start, source.count) }
    }

    // MARK: Reading

    /// All that is written so far.
    @inlinable package func withSpan<Value, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try unsafe body(Span(_unsafeStart: base, count: count))
    }

    /// The address of the first byte. It stays as long as the frame lives, because only a sealed frame gives it.
    @unsafe @inlinable package var address: UnsafeMutablePointer<UInt8> {
        precondition(isSealed, "a frame is sealed before it is sent")
        return unsafe base
    }

    /// What is written, as text; for tests and logs.
    package var text: String { text(of: 0..<count) }

    func text(of range: Range<Int>) -> String {
        withSpan { span in String(decoding: range.map { span[$0] }, as: UTF8.self) }
    }
}
