// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import Testing

@Suite("OIDAuthState and process suspension", .timeLimit(.minutes(1)))
struct OIDAuthStateSuspensionTests {
    /// An app in the background whose activities a test can deny or expire.
    private final class Background: Sendable {
        private struct State {
            var refuses = false
            var expired: (@Sendable () -> Void)?
        }

        private let state = Mutex(State())

        var isRunning: Bool { self.state.withLock { $0.expired != nil } }

        func refuse(_ refuses: Bool) { self.state.withLock { $0.refuses = refuses } }
        func expire() { self.state.withLock { $0.expired }?() }

        var suspension: ProcessSuspension {
            ProcessSuspension(
                isInBackground: { true },
                begin: { _, expired in
                    let isAllowed = self.state.withLock { state in
                        if !state.refuses { state.expired = expired }
                        return !state.refuses
                    }
                    guard isAllowed else { return nil }
                    return { self.state.withLock { $0.expired = nil } }
                }
            )
        }
    }

    /// Records whether an activity is running when the app saves.
    private final class Saver: OIDAuthStateChangeDelegate {
        private let background: Background
        private let saves = Mutex<[Bool]>([])

        init(_ background: Background) { self.background = background }

        var hadActivity: [Bool] { self.saves.withLock { $0 } }

        func didChange(_ state: OIDAuthState) {
            let isRunning = self.background.isRunning
            self.saves.withLock { $0.append(isRunning) }
        }
    }

    private func run(
        _ body: (AppAuthProgram, Background) async throws -> Void
    ) async throws {
        let program = try AppAuthProgram()
        let background = Background()
        var runtime = program.network.runtime
        runtime.suspension = background.suspension
        try await AppAuthEnvironment.$ofTask.withValue(AppAuthEnvironment(runtime: runtime)) {
            try await body(program, background)
        }
    }

    @Test("Saves new tokens within a background activity")
    func saves() async throws {
        try await self.run { program, background in
            let state = try await program.state()
            let saver = Saver(background)
            state.stateChangeDelegate = saver
            program.expire()
            _ = try await state.fresh(program.proof)
            #expect(saver.hadActivity == [true])
            #expect(!background.isRunning)
        }
    }

    @Test("Sends no refresh if the system denies a background activity")
    func refused() async throws {
        try await self.run { program, background in
            let state = try await program.state()
            let listener = Listener()
            state.errorDelegate = listener
            program.expire()
            background.refuse(true)
            let failed = await failure { try await state.fresh(program.proof) }
            #expect(failed?.domain == OIDGeneralErrorDomain)
            #expect(failed?.code == OIDErrorCode.networkError.rawValue)
            #expect(program.network.refreshes.isEmpty)
            #expect(state.isAuthorized)
            #expect(listener.failures == 1)
            #expect(listener.ends == 0)
            background.refuse(false)
            _ = try await state.fresh(program.proof)
            #expect(program.network.refreshes.count == 1)
        }
    }

    @Test("Ends an expired activity and saves a late response in a new one")
    func expired() async throws {
        try await self.run { program, background in
            let state = try await program.state()
            let saver = Saver(background)
            state.stateChangeDelegate = saver
            program.expire()
            let arrival = AsyncStream.makeStream(of: Void.self)
            let gate = Gate()
            program.network.intercept("/token") { _ in
                arrival.continuation.finish()
                await gate.wait()
                return nil
            }
            let proof = program.proof
            async let token = state.fresh(proof)
            for await _ in arrival.stream {}
            background.expire()
            while background.isRunning { await Task.yield() }
            gate.open()
            #expect(try await token == state.lastTokenResponse?.accessToken)
            #expect(saver.hadActivity == [true])
            #expect(program.network.refreshes.count == 1)
        }
    }
}
