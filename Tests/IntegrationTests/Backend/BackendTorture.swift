// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && PostgreSQL
internal import Foundation
internal import TesseraSupport
internal import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import TestPrograms
internal import TestTraits

/// A load test in which two backends share one PostgreSQL database and are restarted in turn.
///
/// Meanwhile, the users' apps call the backends, and the job of each backend calls the API for all users.
struct BackendTorture: Sendable {
    enum Ending: String, Sendable {
        /// SIGTERM, after the load balancer has stopped sending calls to the instance.
        case terminate
        /// SIGKILL, possibly in the middle of a call.
        case kill
    }

    var users: Int
    var seconds: Double
    var ending: Ending
    var rotates: Bool
    /// The lifetime of an access token, in seconds.
    var lifetime: Int

    /// The counts and failures of a run.
    struct Outcome: Sendable {
        var calls = 0
        /// The number of calls rejected with status 401, by user.
        var refused: [String: Int] = [:]
        /// Other failed calls, and nonzero exit statuses.
        var failures: [String] = []
        /// The warnings and errors that the backends logged.
        var warnings: [String] = []
        var restarts = 0
        var refreshRequests: Int64 = 0
        /// The number of refreshes in the histories of the stored records.
        var savedRefreshes: Int64 = 0
        /// The number of refreshes of tokens that had more than half of their lifetime left.
        var earlyRefreshes = 0
        /// The number of users with at least one refresh.
        var refreshedUsers = 0
        /// The reasons why sessions ended, by user.
        var ended: [String: String] = [:]
    }

    private final class Report: Sendable {
        let outcome = Mutex(Outcome())
    }

    func run() async throws -> Outcome {
        try await PostgreSQLInstance.with { server in
            let refreshes = Mutex<[String: [ContinuousClock.Instant]]>([:])
            var options = LocalProviderOptions()
            options.accessTokenLifetime = self.lifetime
            options.rotateRefreshTokens = self.rotates
            options.accounts = (0..<self.users)
                .map { number in
                    LocalProviderAccount(
                        subject: "person-\(number)",
                        email: "person-\(number)@example.com",
                        givenName: "Person",
                        familyName: "\(number)"
                    )
                }
            options.behavior.afterRefresh = { subject in
                refreshes.withLock { $0[subject, default: []].append(.now) }
            }
            let settings = ["JOB_SECONDS": "0.2", "JOB_CALLS": "4", "LEASE_SECONDS": "3", "LOG_LEVEL": "notice"]
            let location = try await BackendEnvironment(options, server: server, settings: settings)
            var outcome = try await self.play(location)
            await location.provider.stop()
            outcome.refreshRequests = Int64(location.provider.refreshRequestCount)
            let times = refreshes.withLock { $0 }
            outcome.refreshedUsers = times.count
            let half = Duration.seconds(self.lifetime) / 2
            outcome.earlyRefreshes = times.values.reduce(0) { sum, times in
                sum + zip(times, times.dropFirst()).count { $0.duration(to: $1) < half }
            }
            for record in try await location.records() {
                outcome.savedRefreshes += record.history.refreshCount
                if record.tokens == nil { outcome.ended[record.account.subject] = record.history.endReason ?? "?" }
            }
            return outcome
        }
    }

    private func play(_ location: BackendEnvironment) async throws -> Outcome {
        let seed = TestSeed.printed()
        let fleet = BackendFleet(location, seed: seed)
        do {
            try await fleet.start()
            let sessions = try await self.signIn(location).sorted { $0.key < $1.key }
            let report = Report()
            // One element per call. The task that replaces instances checks the time after each.
            let (ticks, tick) = AsyncStream.makeStream(of: Void.self)
            let end = ContinuousClock.now + .seconds(self.seconds)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker: UInt64 in 0..<4 {
                    group.addTask {
                        var random = SeededGenerator(seed: seed &+ worker)
                        while ContinuousClock.now < end,
                            let (subject, session) = sessions.randomElement(using: &random)
                        {
                            let problem = await fleet.call(session)
                            report.outcome.withLock { outcome in
                                outcome.calls += 1
                                switch problem {
                                case .none: break
                                case .refused: outcome.refused[subject, default: 0] += 1
                                case .failed(let message): outcome.failures.append("\(subject): \(message)")
                                }
                            }
                            tick.yield()
                        }
                        tick.finish()
                    }
                }
                group.addTask {
                    var next = ContinuousClock.now + .seconds(3)
                    for await _ in ticks where ContinuousClock.now > next {
                        let number = report.outcome.withLock { outcome in
                            outcome.restarts += 1
                            return outcome.restarts % 2
                        }
                        try await fleet.replace(number, self.ending)
                        next = .now + .seconds(3)
                    }
                }
                try await group.waitForAll()
            }
            let (warnings, statuses) = await fleet.end()
            return report.outcome.withLock { outcome in
                outcome.warnings = warnings
                outcome.failures += statuses.filter { $0 != 0 }.map { "exit status \($0)" }
                return outcome
            }
        } catch {
            await fleet.abandon()
            throw error
        }
    }

    /// Signs all users in at the app, sends the code and the ID token to a backend, and returns the sessions by user.
    private func signIn(_ location: BackendEnvironment) async throws -> [String: String] {
        try await withThrowingTaskGroup(of: (String, String).self) { group in
            var numbers = (0..<self.users).makeIterator()
            func next() {
                guard let number = numbers.next() else { return }
                group.addTask {
                    let tokens = try await location.signInAtApp("person-\(number)@example.com")
                    let body = JSONNode.object([
                        JSONMember(name: "serverAuthCode", value: .string(tokens.serverAuthCode)),
                        JSONMember(name: "idToken", value: .string(tokens.idToken)),
                    ])
                    let response = try await BackendVisitor().post(location.publicURL + "/tokens", json: body.text())
                    guard let session = response.json?["session"]?.string else {
                        throw BackendResponseError(response)
                    }
                    return ("person-\(number)", session)
                }
            }
            for _ in 0..<6 { next() }
            var sessions: [String: String] = [:]
            while let (subject, session) = try await group.next() {
                sessions[subject] = session
                next()
            }
            return sessions
        }
    }
}
#endif
