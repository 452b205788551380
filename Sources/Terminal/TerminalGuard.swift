// A program that dies inside the alternate screen, without echo and with the mouse reported, leaves its user a broken
// shell. So while the terminal is ours, whatever would end the process – a trap, a fault, a signal nobody handles, exit
// from anywhere – first gives it back, then goes on ending in its own way. The path uses async-signal-safe calls only.
//
// A signal handler is given no context, so what it needs lies at one place in the process, allocated once before the
// first handler is installed and never freed.

internal import CNcurses
import Glibc

/// What gives the terminal back.
struct TerminalRestoration {
    let input: Int32
    let output: Int32
    let inputFlags: Int32
    let outputFlags: Int32
    let attributes: termios
    /// Written as they are: plain style, cursor, mouse, keypad, main screen.
    let bytes: [UInt8]
}

enum TerminalGuard {
    /// Faults come first, whoever handled them before; the others only where nobody did.
    private static let faults: [Int32] = [SIGSEGV, SIGILL, SIGABRT, SIGTRAP, SIGBUS, SIGFPE]
    private static let endings: [Int32] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM]

    /// Keeps `restoration` for the handlers. From here to `disarm` the terminal counts as ours.
    static func arm(_ restoration: TerminalRestoration) {
        let state = unsafe GuardState.shared
        _ = GuardState.isRegistered
        let count = min(restoration.bytes.count, GuardState.bytesMax)
        unsafe state.pointee.isArmed = 0
        for index in 0..<count { unsafe state.pointee.bytes[index] = restoration.bytes[index] }
        unsafe state.pointee.byteCount = count
        unsafe state.pointee.input = restoration.input
        unsafe state.pointee.output = restoration.output
        unsafe state.pointee.inputFlags = restoration.inputFlags
        unsafe state.pointee.outputFlags = restoration.outputFlags
        unsafe state.pointee.attributes = restoration.attributes
        unsafe state.pointee.isArmed = 1
    }

    /// The terminal is no longer ours; handlers, if installed, let everything pass.
    static func disarm() { unsafe GuardState.shared.pointee.isArmed = 0 }

    /// Gives the terminal back if it is ours. Safe to call from a signal handler, and any number of times.
    static func restore() { unsafe restoreNow(GuardState.shared) }

    static func install() {
        let state = unsafe GuardState.shared
        unsafe provideStack(state)
        for signal in faults + endings {
            var current = sigaction()
            guard unsafe sigaction(signal, nil, &current) == 0 else { continue }
            if unsafe endings.contains(signal) && cn_is_default(&current) == 0 { continue }
            if unsafe cn_has_handler(&current, onEndingSignal) != 0 { continue }
            unsafe state.pointee.before[Int(signal)] = current
            var ours = sigaction()
            unsafe sigfillset(&ours.sa_mask)
            unsafe cn_set_handler(&ours, onEndingSignal)
            _ = unsafe sigaction(signal, &ours, nil)
        }
    }

    /// Puts back what was handled before, except where somebody else has taken over since.
    static func uninstall() {
        let state = unsafe GuardState.shared
        for signal in faults + endings {
            var current = sigaction()
            guard unsafe sigaction(signal, nil, &current) == 0 else { continue }
            guard unsafe cn_has_handler(&current, onEndingSignal) != 0 else { continue }
            _ = unsafe sigaction(signal, &state.pointee.before[Int(signal)], nil)
        }
    }

    /// A stack that ran over can't carry its own handler. The runtime's alternate stack is kept where it set one.
    private static func provideStack(_ state: UnsafeMutablePointer<GuardState>) {
        var current = unsafe stack_t()
        guard unsafe sigaltstack(nil, &current) == 0, unsafe current.ss_flags & Int32(SS_DISABLE) != 0 else { return }
        var ours = unsafe stack_t()
        unsafe ours.ss_sp = unsafe UnsafeMutableRawPointer(state.pointee.stack)
        unsafe ours.ss_size = GuardState.stackBytes
        _ = unsafe sigaltstack(&ours, nil)
    }
}

/// The handlers' memory.
@safe private struct GuardState {
    static let bytesMax = 512
    static let stackBytes = 1 << 16
    static let signalsMax = 65

    var isArmed: Int32 = 0
    var input: Int32 = 0
    var output: Int32 = 0
    var inputFlags: Int32 = 0
    var outputFlags: Int32 = 0
    var attributes = termios()
    var byteCount = 0
    let bytes: UnsafeMutablePointer<UInt8>
    let before: UnsafeMutablePointer<sigaction>
    let stack: UnsafeMutablePointer<UInt8>

    nonisolated(unsafe) static let shared: UnsafeMutablePointer<GuardState> = {
        let state = UnsafeMutablePointer<GuardState>.allocate(capacity: 1)
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: bytesMax)
        let before = UnsafeMutablePointer<sigaction>.allocate(capacity: signalsMax)
        unsafe before.initialize(repeating: sigaction(), count: signalsMax)
        let stack = UnsafeMutablePointer<UInt8>.allocate(capacity: stackBytes)
        unsafe state.initialize(to: GuardState(bytes: bytes, before: before, stack: stack))
        return unsafe state
    }()

    /// `exit` from anywhere, too.
    static let isRegistered: Bool = atexit { TerminalGuard.restore() } == 0
}

private func restoreNow(_ state: UnsafeMutablePointer<GuardState>) {
    guard unsafe state.pointee.isArmed != 0 else { return }
    unsafe state.pointee.isArmed = 0
    // From the background, setting a terminal's attributes would stop us.
    _ = signal(SIGTTOU, SIG_IGN)
    let (output, count) = unsafe (state.pointee.output, state.pointee.byteCount)
    _ = unsafe fcntl(output, F_SETFL, state.pointee.outputFlags)
    _ = unsafe fcntl(state.pointee.input, F_SETFL, state.pointee.inputFlags)
    var written = 0
    while written < count {
        let result = unsafe write(output, state.pointee.bytes + written, count - written)
        if result <= 0 { break }
        written += result
    }
    _ = unsafe tcsetattr(state.pointee.input, TCSANOW, &state.pointee.attributes)
}

private func onEndingSignal(
    _ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?
) {
    let state = unsafe GuardState.shared
    unsafe restoreNow(state)
    _ = unsafe sigaction(number, &state.pointee.before[Int(number)], nil)
    // A fault of the processor comes again when this returns, with its own address; anything else is raised again, and
    // delivered as soon as this returns.
    let isFault = number == SIGSEGV || number == SIGILL || number == SIGBUS || number == SIGFPE
    if let info = unsafe info, unsafe isFault && info.pointee.si_code > 0 { return }
    raise(number)
}
