// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraOAuth
internal import TestPrograms

/// A chromedriver process on a random loopback port, with one headless Chromium.
enum ChromeDriver {
    /// Runs `body` with a new browser without cookies and history, and always ends the browser and the driver.
    static func withBrowser<Result: Sendable>(
        transport: any HTTPTransport,
        _ body: (WebDriverSession) async throws -> Result
    ) async throws -> Result {
        guard let executable = ChildProgram.find("chromedriver") else {
            throw WebDriverError("chromedriver is missing")
        }
        let profile = FileManager.default.temporaryDirectory.appendingPathComponent("tessera-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: profile) }

        let (driver, port) = try await Self.start(executable)
        do {
            let session = try await WebDriverSession.start(
                at: WebDriverConnection(transport: transport, authority: "127.0.0.1:\(port)"),
                profile: profile.path
            )
            do {
                let result = try await body(session)
                await session.quit()
                await driver.terminate()
                return result
            } catch {
                await session.quit()
                throw error
            }
        } catch {
            await driver.terminate()
            throw error
        }
    }

    /// Starts chromedriver and returns the port that it selected.
    ///
    /// chromedriver selects a port that is free for IPv4, and exits if another program uses that port for IPv6. It is
    /// therefore started up to five times.
    ///
    /// - Throws: A `WebDriverError` with the code `session not created` and the output of all attempts.
    static func start(_ executable: String) async throws -> (driver: ChildProgram, port: Int) {
        var output: [String] = []
        for attempt in 1...5 {
            let driver = try ChildProgram([executable, "--port=0"], readsErrors: true, leadsGroup: true)
            if let port = await self.port(of: driver, &output) { return (driver, port) }
            await driver.terminate()
            output += await driver.output.lines()
            output += await driver.errors.lines()
            output.append("Attempt \(attempt) ended with exit status \(await driver.exitStatus).")
        }
        throw WebDriverError(output.joined(separator: "\n"), code: "session not created")
    }

    /// Returns the port that chromedriver selected, or nil if it exited.
    private static func port(of driver: ChildProgram, _ output: inout [String]) async -> Int? {
        let started = /started successfully on port ([0-9]+)/
        var lines: [String] = []
        let line = await driver.output.line { line in
            lines.append(line)
            return line.contains(started)
        }
        output += lines
        return line?.firstMatch(of: started).flatMap { Int($0.output.1) }
    }
}
