// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import Testing

@testable internal import TesseraSimulation

@Suite("Accounts with ID tokens")
struct OpenIDTests {
    private static let name = "ada-openid"

    /// The number of the first step with an account with ID tokens, or nil if the plan has none.
    private static func firstNumber(_ plan: SessionPlan) -> Int? {
        plan.steps
            .filter { step in
                guard case .operation(_, let operation) = step.action else { return false }
                return SimulatedIssuer(of: operation.subject) == .openID
            }
            .map(\.number).min()
    }

    @Test("Fetches keys for the first ID token and after a rotation, and saves the refresh token beforehand")
    func keyRotation() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let events = try Simulation.run(seed: 1) { simulation in
            let process = simulation.makeMachine().start()
            let signIn = SignIn(
                try simulation.provider.provider(.openID),
                runtime: process.runtime,
                store: process.inMemoryStore()
            )
            let session = try await signIn.adopt(
                simulation.provider.makeConsent(of: Self.name),
                options: ProgramCalls.options(Self.name)
            )
            _ = try await session.refresh()
            simulation.provider.rotateKeys()
            try await simulation.clock.sleep(for: .seconds(100))
            _ = try await session.refresh()
        }
        let steps = events.compactMap { event -> String? in
            switch event.action {
            case .sent(let request, _): request.path
            case .saved(let tokens, _): tokens.isUnchecked ? "unchecked" : "checked"
            default: nil
            }
        }
        #expect(
            steps == [
                "/token", "/keys", "checked", "/token", "unchecked", "checked", "/token", "unchecked", "/keys",
                "checked",
            ]
        )
    }

    @Test("The ID token of a sign-in with a browser has the issuer, the subject, and the nonce of the request")
    func browser() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        try Simulation.run(seed: 1) { simulation in
            let process = simulation.makeMachine().start()
            let store = process.inMemoryStore()
            let signIn = SignIn(
                try simulation.provider.provider(.openID),
                runtime: process.runtime,
                store: store,
                userAgent: SimulatedUserAgent(process: process)
            )
            let session = try await signIn.signIn(
                scopes: SimulatedIssuer.openID.scopes,
                options: ProgramCalls.options(Self.name)
            )
            #expect(session.account == Account(named: Self.name))
            let idToken = try #require(try await store.load(session.account)?.tokens?.idToken)
            let claims = try IDTokenClaims(unverified: idToken)
            #expect(claims.issuer == SimulatedIssuer.openID.url)
            #expect(claims.subject == "ada")
            #expect(claims.nonce != nil)
        }
    }

    @Test("Accounts of two issuers with the same subject have separate records in a store")
    func accounts() throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        try Simulation.run(seed: 1) { simulation in
            let process = simulation.makeMachine().start()
            let store = process.encryptedFileStore()
            let names = SimulatedIssuer.allCases.map { $0.name(of: "ada") }
            for name in names {
                let provider = try simulation.provider.provider(SimulatedIssuer(of: name))
                let signIn = SignIn(provider, runtime: process.runtime, store: store)
                _ = try await signIn.adopt(
                    simulation.provider.makeConsent(of: name),
                    options: ProgramCalls.options(name)
                )
            }
            for name in names {
                let record = try #require(try await store.load(Account(named: name)))
                #expect(record.account.subject == "ada")
                #expect(SavedTokens(record).access?.subject == name)
            }
        }
    }

    @Test("The steps with an account with ID tokens follow the first steps of each plan", arguments: UInt64(1)...200)
    func numbers(seed: UInt64) {
        let plan = SessionPlan(seed: seed, steps: Set(0..<1_000))
        // The first steps of each plan are at least 57 operations and faults.
        let first = Self.firstNumber(plan) ?? 57
        #expect(first >= 57)
        let rotations = plan.steps.filter { $0.action == .fault(.keysRotated) }
        #expect(rotations.allSatisfy { $0.number >= first })
    }

    @Test("A history signs in the account with ID tokens only if its plan has the steps", arguments: UInt64(1)...20)
    func histories(seed: UInt64) throws {
        guard #available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        var scenario = SessionScenario(seed: seed)
        guard let first = Self.firstNumber(scenario.plan) else { return }
        let accounts = scenario.plan.openIDAccounts
        #expect(try Self.savedSubjects(scenario).isSuperset(of: accounts))
        scenario.plan.steps.removeAll { $0.number >= first }
        #expect(try Self.savedSubjects(scenario).isDisjoint(with: accounts))
    }

    @available(iOS 18, macOS 15, tvOS 18, watchOS 11, visionOS 2, *)
    private static func savedSubjects(_ scenario: SessionScenario) throws -> Set<String> {
        Set(
            try scenario.run()
                .compactMap { event in
                    if case .saved(let tokens, _) = event.action { tokens.subject } else { nil }
                }
        )
    }
}
