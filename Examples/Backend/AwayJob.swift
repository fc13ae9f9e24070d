// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Metrics
import ServiceLifecycle
import Tessera
import Tracing

/// Reads every user's Drive at regular intervals, even when the user is offline.
///
/// Every instance runs this job for all users. That causes no additional refreshes, because one instance refreshes a
/// session and the others find the new token in the database. In production, divide the users among the instances or
/// run the job on one of them.
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

    /// Makes one API call per user, a few of them concurrently.
    func round() async {
        let accounts: [Account]
        do { accounts = try await self.backend.signIn.accounts() } catch {
            return self.backend.logger.error("could not list the accounts", metadata: ["reason": "\(error)"])
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
            // Each call has its own trace, because it does not belong to a request.
            try await withSpan("backend.away") { _ in
                guard let session = try await self.backend.signIn.restore(account) else {
                    return Self.count("signed_out")
                }
                _ = try await self.backend.files(of: session)
                Self.count("ok")
            }
        } catch let ended as SessionEndedError {
            // The user has to sign in again. There is no point in retrying, and no reason to raise an alarm.
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
