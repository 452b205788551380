// Why this file exists: a client's half of a connection. It takes time, several addresses may have to be tried, and a Unix
// socket whose queue is full says "again" instead of letting one wait. A stream exists only once all that is over.

internal import Glibc

extension Stream {
    /// Connects to a Unix or TCP address. `completion` is called once, from the loop, never from in here, unless the
    /// connector is cancelled before. Names are resolved at once, which may ask a name server and wait for it.
    @discardableResult package static func connect(
        _ loop: Loop, to address: Address, keepaliveSeconds: Int = 60,
        _ completion: @escaping (Result<Stream, SystemError>) -> Void
    ) throws(SystemError) -> Connector {
        try Connector(loop, address, keepaliveSeconds, completion)
    }
}

/// A connection that is being made. It lives by itself until it has called back.
package final class Connector {
    private let loop: Loop
    private let isUnix: Bool
    private let keepaliveSeconds: Int
    private var completion: ((Result<Stream, SystemError>) -> Void)?
    private var candidates: [SocketAddress] = []
    private var failure = SystemError("connect", ENOENT)
    private var timer: Timer?
    private var readiness: FileReadiness?
    private var connection: Descriptor?
    /// A full queue is tried again every 10 ms, for ten seconds.
    private var retriesLeft = 1000

    fileprivate init(
        _ loop: Loop, _ address: Address, _ keepaliveSeconds: Int,
        _ completion: @escaping (Result<Stream, SystemError>) -> Void
    ) throws(SystemError) {
        self.loop = loop
        self.completion = completion
        self.keepaliveSeconds = keepaliveSeconds
        if case .unix = address { isUnix = true } else { isUnix = false }
        let timer = try Timer(loop) { self.attempt() }
        self.timer = timer
        do throws(SystemError) {
            if case .unix(let path) = address, (try? Address.checked(path: path)) == nil {
                throw SystemError("connect", ENAMETOOLONG)
            }
            candidates = try address.resolved()
        } catch { failure = error }
        timer.start(afterMilliseconds: 0)
    }

    /// Gives up. The completion is not called any more.
    package func cancel() {
        completion = nil
        end()
    }

    private func end() {
        timer?.close()
        timer = nil
        readiness?.close()
        readiness = nil
        connection = nil
    }

    private func finish(_ result: Result<Stream, SystemError>) {
        let completion = self.completion
        cancel()
        completion?(result)
    }

    /// Tries the next address; without one left, tells the last failure.
    private func attempt() {
        while let candidate = candidates.first {
            do throws(SystemError) {
                let socket = try System.socket(candidate.family)
                if !isUnix { try System.configureTCP(socket.number, idleSeconds: keepaliveSeconds) }
                let result = System.connect(socket.number, candidate)
                if result == EAGAIN, isUnix, retriesLeft > 0 {
                    retriesLeft -= 1
                    timer?.start(afterMilliseconds: 10)
                    return
                }
                guard result == 0 || result == EINPROGRESS else { throw SystemError("connect", result) }
                try watch(socket)
                return
            } catch {
                failure = error
                candidates.removeFirst()
            }
        }
        finish(.failure(failure))
    }

    private func watch(_ socket: consuming Descriptor) throws(SystemError) {
        let readiness = try FileReadiness(loop, descriptor: socket.number) { _ in self.connected() }
        readiness.start(.writable)
        self.readiness = readiness
        connection = consume socket
    }

    /// The kernel has decided.
    private func connected() {
        readiness?.close()
        readiness = nil
        guard let socket = connection.take() else { return }
        do throws(SystemError) {
            let code = try System.option(socket.number, SOL_SOCKET, SO_ERROR)
            if code != 0 { throw SystemError("connect", code) }
            finish(.success(try Stream(loop, adopting: socket, isUnix: isUnix)))
        } catch {
            failure = error
            candidates.removeFirst()
            attempt()
        }
    }
}
