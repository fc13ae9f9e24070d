// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraUserAgents

/// A WebDriver browser that Tessera opens as the user's system browser.
struct TestBrowser: Sendable {
    let session: WebDriverSession
    let redirect: LoopbackRedirect

    /// A system browser agent whose command opens the URL over WebDriver.
    var userAgent: SystemBrowser {
        let address = "http://\(self.session.connection.authority)/session/\(self.session.id)/url"
        return SystemBrowser(
            command: .command(
                """
                curl --silent --output /dev/null --header 'Content-Type: application/json' \
                --data '{"url":"%s"}' \(address)
                """
            ),
            redirect: self.redirect
        )
    }

    /// Runs `operation`, which opens the browser, while `user` acts in it, and returns the result of `operation`.
    ///
    /// If `user` throws an error, both are canceled.
    func result<Value: Sendable>(
        of operation: @escaping @Sendable () async throws -> Value,
        while user: @escaping @Sendable () async throws -> Void
    ) async throws -> Result<Value, any Error> {
        try await withThrowingTaskGroup(of: Result<Value, any Error>?.self) { group in
            group.addTask {
                do { return .success(try await operation()) } catch { return .failure(error) }
            }
            group.addTask {
                try await user()
                return nil
            }
            var result: Result<Value, any Error>?
            for try await part in group { result = part ?? result }
            guard let result else { throw CancellationError() }
            return result
        }
    }

    /// Waits for the last page and returns its text and the URL in the address bar.
    func lastPage() async throws -> (text: String, address: String) {
        try await self.session.wait(until: "document.querySelector('main .emblem') !== null")
        return (try await self.session.text, try await self.session.url)
    }
}
