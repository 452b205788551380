// A file of this repository, for tests that use it where it is there.

import Glibc

func contents(of path: String) -> [UInt8]? {
    guard let file = unsafe fopen(path, "r") else { return nil }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    while true {
        let byte = unsafe fgetc(file)
        if byte == EOF { return bytes }
        bytes.append(UInt8(truncatingIfNeeded: byte))
    }
}
