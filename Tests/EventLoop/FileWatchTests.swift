// That a file is followed whatever is done to it.
import EventLoop
import Glibc
import Testing

private func write(_ text: String, to path: String) {
    guard let file = unsafe fopen(path, "w") else { return }
    unsafe fputs(text, file)
    unsafe fclose(file)
}

@Test func `a file is told that is written to, replaced, removed and made again`() throws {
    try withDirectory { directory in
        try withLoop { loop in
            let path = directory + "/s"
            write("one", to: path)
            var count = 0
            var failures: [SystemError] = []
            let watch = try FileWatch(loop, besides: path) { error in
                if let error { failures.append(error) } else { count += 1 }
            }
            let steps: [() -> Void] = [
                { write("two", to: path) }, { write("three", to: directory + "/other") },
                { _ = unsafe rename(directory + "/other", path) }, { write("four", to: path) },
                { _ = unsafe unlink(path) }, { write("five", to: path) },
            ]
            for step in steps {
                // What one step has caused may come in pieces; it is all told before the next.
                while loop.turn(waiting: false), count > 0 { count = 0 }
                count = 0
                step()
                try loop.run { count > 0 }
            }
            #expect(failures.isEmpty)
            watch.close()
            watch.close()
        }
    }
}

@Test func `a directory that is not there can't be watched`() throws {
    try withLoop { loop in
        #expect(throws: SystemError.self) { try FileWatch(loop, besides: "/nonexistent/file") { _ in } }
    }
}

@Test func `the directory of a file is known by its path`() {
    #expect(FileWatch.directory(of: "a") == ".")
    #expect(FileWatch.directory(of: "/a") == "/")
    #expect(FileWatch.directory(of: "b/c/a") == "b/c")
}
