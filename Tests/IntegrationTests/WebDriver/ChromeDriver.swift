// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraOAuth

/// A chromedriver of its own, on a random loopback port, and one headless Chromium behind it.
enum ChromeDriver {
    /// Runs `body` with a fresh browser, which knows no cookie and no history, and ends browser and driver whatever
    /// happens.
    static func withBrowser<Result: Sendable>(
        transport: any HTTPTransport,
        _ body: (WebDriverSession) async throws -> Result
    ) async throws -> Result {
        guard let executable = ChildProcess.find("chromedriver") else {
            throw WebDriverError("chromedriver is missing")
        }
        let profile = FileManager.default.temporaryDirectory.appendingPathComponent("tessera-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: profile) }

        let driver = try ChildProcess(executable, ["--port=0"])
        do {
            let port = try await self.port(of: driver)
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

    /// chromedriver chooses a free port and says which.
    private static func port(of driver: ChildProcess) async throws -> Int {
        var said = ""
        for await chunk in driver.output {
            said += String(decoding: chunk, as: UTF8.self)
            if let match = said.firstMatch(of: /started successfully on port ([0-9]+)/), let port = Int(match.1) {
                return port
            }
        }
        throw WebDriverError("chromedriver did not start: \(said)")
    }
}
