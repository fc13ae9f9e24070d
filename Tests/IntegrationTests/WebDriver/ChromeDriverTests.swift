// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import Testing

@Suite("Starting chromedriver")
struct ChromeDriverTests {
    /// Runs `body` with a program that exits like chromedriver if its port is taken, until it has been started
    /// `failures` times.
    private static func withDriver(failures: Int, _ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "chromedriver-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = folder.appending(path: "chromedriver").path
        let text = """
            #!/bin/sh
            echo started >>"$0.starts"
            if [ "$(wc -l <"$0.starts")" -le \(failures) ]; then
                echo 'IPv6 port not available. Exiting...'
                echo 'bind() failed' >&2
                exit 1
            fi
            echo 'ChromeDriver was started successfully on port 4711.'
            read -r line
            """
        try text.write(toFile: script, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
        try await body(script)
    }

    @Test("Starts the program again if it exits before it is ready", arguments: [0, 1, 4])
    func again(_ failures: Int) async throws {
        try await Self.withDriver(failures: failures) { script in
            let (driver, port) = try await ChromeDriver.start(script)
            await driver.terminate()
            #expect(port == 4711)
            let starts = try String(contentsOfFile: script + ".starts", encoding: .utf8)
            #expect(starts.split(separator: "\n").count == failures + 1)
        }
    }

    @Test("Throws the output of all attempts after five")
    func gaveUp() async throws {
        try await Self.withDriver(failures: 5) { script in
            let error = await #expect(throws: WebDriverError.self) { _ = try await ChromeDriver.start(script) }
            #expect(error?.code == "session not created")
            #expect(error?.message.components(separatedBy: "IPv6 port not available").count == 6)
            #expect(error?.message.contains("bind() failed") == true)
            #expect(error?.message.contains("Attempt 5 ended with exit status 1.") == true)
        }
    }
}
