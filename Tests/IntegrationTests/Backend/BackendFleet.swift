// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && PostgreSQL
internal import Foundation
internal import TesseraSupport
internal import TesseraOAuth
internal import TestTraits

/// Two backends, and what a load balancer does before them: it sends calls to those that are up, and one whose instance
/// was killed under it to the other.
final class BackendFleet: Sendable {
    enum Problem: Sendable {
        /// The person has to sign in again.
        case refused
        case failed(String)
    }

    private struct State {
        var instances: [BackendInstance?] = [nil, nil]
        /// Those that calls are sent to.
        var open: Set<Int> = []
        var log: [String] = []
        var statuses: [Int32] = []
        /// Chooses among the open ones.
        var random: SeededGenerator
    }

    private let place: BackendPlace
    private let state: Mutex<State>

    init(_ place: BackendPlace, seed: UInt64) {
        self.place = place
        self.state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    func start() async throws {
        for number in 0..<2 { try await self.start(number) }
    }

    private func start(_ number: Int) async throws {
        let instance = try await self.place.start(number)
        self.state.withLock { state in
            state.instances[number] = instance
            state.open.insert(number)
        }
    }

    /// Asks for somebody's files; nil where they came.
    func call(_ session: String) async -> Problem? {
        var problem = Problem.failed("nobody was up")
        for _ in 0..<3 {
            guard let (number, instance) = self.choose() else { continue }
            do {
                let answer = try await BackendVisitor.files(at: instance.origin, session)
                switch answer.status {
                case 200: return nil
                case 401: return .refused
                default: return .failed("\(answer.status) \(answer.text)")
                }
            } catch {
                problem = .failed("\(error)")
                // Only one that was killed meanwhile may break a call.
                guard !self.state.withLock({ $0.instances[number] === instance && $0.open.contains(number) }) else {
                    return problem
                }
            }
        }
        return problem
    }

    private func choose() -> (Int, BackendInstance)? {
        self.state.withLock { state in
            let number = state.open.sorted().randomElement(using: &state.random)
            guard let number, let instance = state.instances[number] else { return nil }
            return (number, instance)
        }
    }

    /// Ends one of them and starts it again; the other is up meanwhile.
    func replace(_ number: Int, _ ending: BackendTorture.Ending) async throws {
        let instance = self.state.withLock { state in
            state.open.remove(number)
            return state.instances[number]
        }
        guard let instance else { return }
        switch ending {
        case .terminate:
            let (log, status) = await instance.terminate()
            self.note(log, status)
        case .kill: await instance.kill()
        }
        try await self.start(number)
    }

    /// Ends both by SIGTERM; what all of them complained of, and their exit statuses.
    func end() async -> (complaints: [String], statuses: [Int32]) {
        for instance in self.state.withLock({ $0.instances }) {
            guard let instance else { continue }
            let (log, status) = await instance.terminate()
            self.note(log, status)
        }
        return self.state.withLock { ($0.log, $0.statuses) }
    }

    /// Kills what runs.
    func abandon() async {
        for instance in self.state.withLock({ $0.instances }) { await instance?.kill() }
    }

    private func note(_ log: [String], _ status: Int32) {
        self.state.withLock { state in
            state.log += log.filter { $0.contains(" warning ") || $0.contains(" error ") }
            state.statuses.append(status)
        }
    }
}
#endif
