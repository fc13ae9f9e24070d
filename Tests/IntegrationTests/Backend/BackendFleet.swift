// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && PostgreSQL
internal import Foundation
internal import TesseraSupport
internal import TesseraOAuth
internal import TestTraits

/// Two backend instances behind a simulated load balancer.
///
/// Calls go only to running instances. A call whose instance was killed is repeated at the other one.
final class BackendFleet: Sendable {
    enum Problem: Sendable {
        /// The user has to sign in again (status 401).
        case refused
        case failed(String)
    }

    private struct State {
        var instances: [BackendInstance?] = [nil, nil]
        /// The indexes of the instances that receive calls.
        var open: Set<Int> = []
        var log: [String] = []
        var statuses: [Int32] = []
        /// Selects the instance for the next call.
        var random: SeededGenerator
    }

    private let location: BackendEnvironment
    private let state: Mutex<State>

    init(_ location: BackendEnvironment, seed: UInt64) {
        self.location = location
        self.state = Mutex(State(random: SeededGenerator(seed: seed)))
    }

    func start() async throws {
        for number in 0..<2 { try await self.start(number) }
    }

    private func start(_ number: Int) async throws {
        let instance = try await self.location.start(number)
        self.state.withLock { state in
            state.instances[number] = instance
            state.open.insert(number)
        }
    }

    /// Requests the files of a session and returns nil on success.
    func call(_ session: String) async -> Problem? {
        var problem = Problem.failed("no instance was running")
        for _ in 0..<3 {
            guard let (number, instance) = self.choose() else { continue }
            do {
                let response = try await BackendVisitor.files(at: instance.origin, session)
                switch response.status {
                case 200: return nil
                case 401: return .refused
                default: return .failed("\(response.status) \(response.text)")
                }
            } catch {
                problem = .failed("\(error)")
                // A call may fail only if its instance was stopped in the meantime.
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

    /// Stops one instance and starts it again while the other one keeps running.
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

    /// Stops both instances with SIGTERM and returns all logged warnings and the exit statuses.
    func end() async -> (warnings: [String], statuses: [Int32]) {
        for instance in self.state.withLock({ $0.instances }) {
            guard let instance else { continue }
            let (log, status) = await instance.terminate()
            self.note(log, status)
        }
        return self.state.withLock { ($0.log, $0.statuses) }
    }

    /// Kills the running instances.
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
