// Why this file exists: what the command line and the file say together, checked before anything is opened or changed: the
// same at the start, at a reload, and where it is only asked whether it would do.

import CommandLine
import Configuration
import Glibc
import Wire

enum ConfigurationFile {
    /// Read where no file is named, by a system service alone.
    static let usualPath = "/etc/accordiond/accordiond.toml"
    private static let bytesMax = 4 << 20

    /// The file's settings; the defaults where there is none. Throws with file, line and column.
    static func read(_ invocation: Invocation) throws(StartFailure) -> Configuration {
        let named = invocation.value("config")
        let isService = DaemonSettings.isSystemService(invocation)
        guard let path = named ?? (isService && access(usualPath) ? usualPath : nil) else { return Configuration() }
        guard let text = contents(path) else {
            throw StartFailure(.brokenConfiguration, "\(JSONEscape.quoted(path)) can't be read: \(reason())")
        }
        do throws(ConfigurationFault) {
            return try Configuration(reading: text, file: path)
        } catch {
            throw StartFailure(.brokenConfiguration, "\(error)")
        }
    }

    private static func access(_ path: String) -> Bool { unsafe Glibc.access(path, F_OK) == 0 }
    static func reason() -> String { unsafe String(cString: strerror(errno)) }

    /// Nil with `errno` where it can't be read; more than 4 MiB of it is left out.
    static func contents(_ path: String) -> [UInt8]? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < bytesMax {
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            if count < 0 { return nil }
            if count == 0 { break }
            bytes += buffer.prefix(count)
        }
        return bytes
    }
}
