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

/// Two backends over one PostgreSQL, of which one after the other is ended and started again, while the people's apps
/// call and the job calls for all of them.
struct BackendTorture: Sendable {
    enum Ending: String, Sendable {
        /// SIGTERM, and nobody is sent there from then on: as a load balancer does.
        case terminate
        /// SIGKILL, in the middle of whatever it does.
        case kill
    }

    var people: Int
    var seconds: Double
    var ending: Ending
    var rotates: Bool
    /// How long an access token lives, in seconds.
    var lifetime: Int

    /// What came of it.
    struct Outcome: Sendable {
        var calls = 0
        /// Calls that were answered with anything but the files, by person.
        var refused: [String: Int] = [:]
        /// Other failures of calls, and of the programs' ends.
        var failures: [String] = []
        /// What the backends logged of failed calls of the job's.
        var complaints: [String] = []
        var endings = 0
        var refreshRequests: Int64 = 0
        /// Refreshes that are in the stored histories.
        var savedRefreshes: Int64 = 0
        /// Refreshes of a person's that came when their token before had more than half of its life left.
        var needless = 0
        /// The people who were refreshed at all.
        var refreshed = 0
        /// Why sessions ended, by person.
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
            options.accounts = (0..<self.people)
                .map { number in
                    LocalProviderAccount(
                        subject: "person-\(number)",
                        email: "person-\(number)@example.com",
                        givenName: "Person",
                        familyName: "\(number)"
                    )
                }
            options.behaviour.afterRefresh = { subject in
                refreshes.withLock { $0[subject, default: []].append(.now) }
            }
            let settings = ["JOB_SECONDS": "0.2", "JOB_CALLS": "4", "LEASE_SECONDS": "3", "LOG_LEVEL": "notice"]
            let place = try await BackendPlace(options, server: server, settings: settings)
            var outcome = try await self.play(place)
            await place.provider.stop()
            outcome.refreshRequests = Int64(place.provider.refreshRequestCount)
            let times = refreshes.withLock { $0 }
            outcome.refreshed = times.count
            let half = Duration.seconds(self.lifetime) / 2
            outcome.needless = times.values.reduce(0) { sum, times in
                sum + zip(times, times.dropFirst()).count { $0.duration(to: $1) < half }
            }
            for record in try await place.records() {
                outcome.savedRefreshes += record.history.refreshCount
                if record.tokens == nil { outcome.ended[record.account.subject] = record.history.endReason ?? "?" }
            }
            return outcome
        }
    }

    private func play(_ place: BackendPlace) async throws -> Outcome {
        let seed = TestSeed.printed()
        let fleet = BackendFleet(place, seed: seed)
        do {
            try await fleet.start()
            let sessions = try await self.signIn(place).sorted { $0.key < $1.key }
            let report = Report()
            // One for each call: who ends instances waits by them.
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
                                case .failed(let words): outcome.failures.append("\(subject): \(words)")
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
                            outcome.endings += 1
                            return outcome.endings % 2
                        }
                        try await fleet.replace(number, self.ending)
                        next = .now + .seconds(3)
                    }
                }
                try await group.waitForAll()
            }
            let (complaints, statuses) = await fleet.end()
            return report.outcome.withLock { outcome in
                outcome.complaints = complaints
                outcome.failures += statuses.filter { $0 != 0 }.map { "exit status \($0)" }
                return outcome
            }
        } catch {
            await fleet.abandon()
            throw error
        }
    }

    /// Everybody signs in at their app, which sends the backend what it got; the sessions by person.
    private func signIn(_ place: BackendPlace) async throws -> [String: String] {
        try await withThrowingTaskGroup(of: (String, String).self) { group in
            var numbers = (0..<self.people).makeIterator()
            func next() {
                guard let number = numbers.next() else { return }
                group.addTask {
                    let tokens = try await place.signInAtApp("person-\(number)@example.com")
                    let body = JSONNode.object([
                        JSONMember(name: "serverAuthCode", value: .string(tokens.serverAuthCode)),
                        JSONMember(name: "idToken", value: .string(tokens.idToken)),
                    ])
                    let answer = try await BackendVisitor().post(place.publicURL + "/tokens", json: body.text())
                    guard let session = answer.json?["session"]?.string else {
                        throw BackendAnswerError(answer)
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
