// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Metrics
import ServiceLifecycle
import Tessera
import Tracing

/// Reads everybody's Drive now and then, whether they are here or not.
///
/// Every instance does it for everybody, which makes no refresh more: of all instances one refreshes a session, and the
/// others find the new token in the database. Yours would divide the people, or let one instance do it.
struct AwayJob: Service {
    let backend: Backend

    func run() async throws {
        let pause = self.backend.settings.jobSeconds
        guard pause > 0 else { return try await gracefulShutdown() }
        while !Task.isShuttingDownGracefully {
            await self.round()
            try? await cancelWhenGracefulShutdown { try await Task.sleep(for: .seconds(pause)) }
        }
    }

    /// One call for each person, a few at a time.
    func round() async {
        let accounts: [Account]
        do { accounts = try await self.backend.signIn.accounts() } catch {
            return self.backend.logger.error("the accounts cannot be listed", metadata: ["reason": "\(error)"])
        }
        await withTaskGroup(of: Void.self) { group in
            var waiting = accounts.shuffled().makeIterator()
            func next() {
                guard !Task.isShuttingDownGracefully, let account = waiting.next() else { return }
                group.addTask { await self.visit(account) }
            }
            for _ in 0..<self.backend.settings.jobCalls { next() }
            while await group.next() != nil { next() }
        }
    }

    private func visit(_ account: Account) async {
        do {
            // A trace of its own: no request is above it.
            try await withSpan("backend.away") { _ in
                guard let session = try await self.backend.signIn.restore(account) else {
                    return Self.count("signed_out")
                }
                _ = try await self.backend.files(of: session)
                Self.count("ok")
            }
        } catch let ended as SessionEndedError {
            // Until the person signs in again nothing can be done for them: no retry, and no alarm.
            self.backend.logger.notice("a session ended", metadata: ["reason": "\(ended)"])
            Self.count("ended")
        } catch {
            self.backend.logger.warning("a call failed", metadata: ["reason": "\(error)"])
            Self.count("failed")
        }
    }

    private static func count(_ outcome: String) {
        Counter(label: "backend_away_calls", dimensions: [("outcome", outcome)]).increment()
    }
}
