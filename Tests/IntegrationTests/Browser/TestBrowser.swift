// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraUserAgents

/// The browser of a test as the person's own browser: Tessera's system browser, whose command hands the address to it.
struct TestBrowser: Sendable {
    let session: WebDriverSession
    let redirect: LoopbackRedirect

    /// What Tessera opens: its own browser agent, with a command that speaks WebDriver.
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

    /// Runs `operation`, which opens the browser, while `person` acts in it; and gives back what became of the
    /// operation.
    ///
    /// A person who does not find what they look for ends both.
    func result<Value: Sendable>(
        of operation: @escaping @Sendable () async throws -> Value,
        while person: @escaping @Sendable () async throws -> Void
    ) async throws -> Result<Value, any Error> {
        try await withThrowingTaskGroup(of: Result<Value, any Error>?.self) { group in
            group.addTask {
                do { return .success(try await operation()) } catch { return .failure(error) }
            }
            group.addTask {
                try await person()
                return nil
            }
            var result: Result<Value, any Error>?
            for try await part in group { result = part ?? result }
            guard let result else { throw CancellationError() }
            return result
        }
    }

    /// The last page: waits for it, and gives back its text and what the address bar shows then.
    func lastPage() async throws -> (text: String, address: String) {
        try await self.session.wait(until: "document.querySelector('main .emblem') !== null")
        return (try await self.session.text, try await self.session.url)
    }
}
