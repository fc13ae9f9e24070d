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

        let driver = try ChildProgram([executable, "--port=0"], leadsGroup: true)
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

    /// Returns the port that chromedriver selected.
    private static func port(of driver: ChildProgram) async throws -> Int {
        let started = /started successfully on port ([0-9]+)/
        let line = await driver.output.line { $0.contains(started) }
        guard let port = line?.firstMatch(of: started).flatMap({ Int($0.output.1) }) else {
            throw WebDriverError("chromedriver did not start")
        }
        return port
    }
}
