// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

@testable internal import TesseraSimulation

/// Each invariant must be able to fail.
@Suite("Invariant checker")
struct InvariantCheckerTests {
    private static let access = SimulatedToken(.access, subject: "ada", consent: 0, number: 2)
    private static let first = SimulatedToken(.refresh, subject: "ada", consent: 0, number: 1)
    private static let second = SimulatedToken(.refresh, subject: "ada", consent: 0, number: 3)

    /// Returns the invariant that the events violate.
    ///
    /// Process 1 causes all events.
    private static func violation(_ actions: [SimulationEvent.Action]) -> Invariant? {
        var checker = InvariantChecker()
        for action in actions { checker.observe(SimulationEvent(time: 0, actor: .process(1), action: action)) }
        return checker.violation?.invariant
    }

    private static func saved(
        _ access: SimulatedToken = Self.access,
        _ refresh: SimulatedToken = Self.first,
        of subject: String = "ada"
    ) -> SimulationEvent.Action {
        .saved(SavedTokens(subject: subject, access: access, refresh: refresh), store: "1")
    }

    private static func sent(
        _ refresh: SimulatedToken? = nil,
        access: SimulatedToken? = nil,
        to origin: String = SimulatedProvider.issuer,
        number: Int = 1
    ) -> SimulationEvent.Action {
        .sent(
            SimulationEvent.Request(
                method: "POST",
                origin: origin,
                path: "/token",
                refreshToken: refresh,
                accessToken: access
            ),
            request: number
        )
    }

    private static func delivered(_ refresh: SimulatedToken) -> SimulationEvent.Action {
        .delivered(SimulationEvent.Response(status: 200, refreshToken: refresh), request: 1)
    }

    private static func refreshed() -> SimulationEvent.Action {
        .refreshed(Self.first, access: Self.access, refresh: Self.second, request: 1, lifetime: 60)
    }

    private static let began = SimulationEvent.Action.began(1, SessionOperation(.token, of: "ada"))

    @Test("A history without a fault violates nothing")
    func correct() {
        #expect(
            Self.violation([
                .consented(Self.first), Self.saved(), Self.began, Self.sent(Self.first), Self.refreshed(),
                Self.delivered(Self.second), Self.saved(Self.access, Self.second), .received(1, Self.access),
            ]) == nil
        )
    }

    @Test("A caller that receives a token before it was saved violates tokenWasSaved")
    func unsaved() { #expect(Self.violation([Self.began, .received(1, Self.access)]) == .tokenWasSaved) }

    @Test("Two refreshes at once violate oneRefreshOnTheWire, but not if the first one was abandoned")
    func twoRefreshes() {
        let second = Self.sent(Self.first, number: 2)
        #expect(Self.violation([.consented(Self.first), Self.sent(Self.first), second]) == .oneRefreshOnTheWire)
        #expect(
            Self.violation([.consented(Self.first), Self.sent(Self.first), .abandoned(request: 1), second]) == nil
        )
    }

    @Test("A replaced token violates replacedTokenIsNotSent if its replacement has arrived or was saved")
    func replaced() {
        let again = Self.sent(Self.first, number: 2)
        let sent = [.consented(Self.first), Self.sent(Self.first), Self.refreshed()]
        #expect(Self.violation(sent + [Self.delivered(Self.second), again]) == .replacedTokenIsNotSent)
        #expect(
            Self.violation(sent + [.abandoned(request: 1), Self.saved(Self.access, Self.second), again])
                == .replacedTokenIsNotSent
        )
        #expect(Self.violation(sent + [.responseLost(request: 1), again]) == nil)
    }

    @Test("A token for an origin that is not authorized violates onlyAuthorizedOrigins")
    func origins() {
        #expect(
            Self.violation([Self.sent(access: Self.access, to: "https://elsewhere.example")]) == .onlyAuthorizedOrigins
        )
        #expect(Self.violation([Self.sent(access: Self.access, to: SimulatedProvider.api)]) == nil)
    }

    @Test("A token in another account's record or operation violates accountsAreSeparate")
    func accounts() {
        #expect(Self.violation([.consented(Self.first), Self.saved(of: "grace")]) == .accountsAreSeparate)
        let other = SimulationEvent.Action.began(1, SessionOperation(.token, of: "grace"))
        #expect(
            Self.violation([.consented(Self.first), Self.saved(), other, .received(1, Self.access)])
                == .accountsAreSeparate
        )
    }

    @Test("A session that is saved or used after its sign-out violates endedSessionDoesNotReturn")
    func signedOut() {
        let signOut: [SimulationEvent.Action] = [
            .consented(Self.first), Self.saved(), .began(1, SessionOperation(.signOut, of: "ada")),
            .removed(subject: "ada", store: "1"), .succeeded(1),
        ]
        #expect(Self.violation(signOut) == nil)
        #expect(Self.violation(signOut + [Self.saved()]) == .endedSessionDoesNotReturn)
        #expect(
            Self.violation(signOut + [.began(2, SessionOperation(.token, of: "ada")), .received(2, Self.access)])
                == .endedSessionDoesNotReturn
        )
    }

    @Test("A sign-out that leaves the record violates endedSessionDoesNotReturn")
    func leftRecord() {
        #expect(
            Self.violation([
                .consented(Self.first), Self.saved(), .began(1, SessionOperation(.signOut, of: "ada")), .succeeded(1),
            ]) == .endedSessionDoesNotReturn
        )
    }

    @Test("A sign-out may leave the record of a consent that was saved after it began")
    func sparedRecord() {
        let repeated = SimulatedToken(.access, subject: "ada", consent: 0, number: 4)
        #expect(
            Self.violation([
                .consented(Self.first), Self.saved(), .began(1, SessionOperation(.signOut, of: "ada")),
                .exchanged(nil, access: repeated, request: 2, lifetime: 60), Self.saved(repeated), .succeeded(1),
            ]) == nil
        )
    }

    @Test("A saved record that is not found violates usableTokenIsNotLost, unless its keyring was reset")
    func keyringReset() {
        let history = [.consented(Self.first), Self.saved()]
        let missing = SimulationEvent.Action.notFound(subject: "ada", isDamaged: false, store: "1", begunAt: 0)
        #expect(Self.violation(history + [missing]) == .usableTokenIsNotLost)
        #expect(Self.violation(history + [.keyringReset(store: "1"), missing]) == nil)
        let earlier = SimulationEvent.Action.notFound(subject: "ada", isDamaged: false, store: "1", begunAt: -1)
        #expect(Self.violation(history + [earlier]) == nil)
    }

    @Test("A token without a refresh token was saved, and its session may expire")
    func unrenewable() {
        let history: [SimulationEvent.Action] = [
            .began(1, SessionOperation(.signIn, of: "ada")),
            .saved(SavedTokens(subject: "ada", access: Self.access, refresh: nil), store: "1"),
        ]
        #expect(Self.violation(history + [.received(1, Self.access)]) == nil)
        #expect(Self.violation(history + [.ended(1, reason: "expired")]) == nil)
    }

    @Test("A removed record without a sign-out violates usableTokenIsNotLost")
    func removed() {
        #expect(
            Self.violation([.consented(Self.first), Self.saved(), .removed(subject: "ada", store: "1")])
                == .usableTokenIsNotLost
        )
    }

    @Test(
        "A session that ends without a cause violates the promise that its reason belongs to",
        arguments: [
            ("refused", Invariant.transientFailureEndsNoSession), ("interrupted", .usableTokenIsNotLost),
            ("signedOut", .usableTokenIsNotLost), ("expired", .transientFailureEndsNoSession),
        ]
    )
    func ended(reason: String, invariant: Invariant) {
        let history = [.consented(Self.first), Self.saved(), Self.began]
        #expect(Self.violation(history + [.ended(1, reason: reason)]) == invariant)
    }

    @Test("A lost response explains that a session was interrupted, but not that it was refused")
    func interrupted() {
        let history = [
            .consented(Self.first), Self.saved(), Self.began, Self.sent(Self.first), Self.refreshed(),
            .responseLost(request: 1),
        ]
        #expect(Self.violation(history + [.ended(1, reason: "interrupted")]) == nil)
        #expect(Self.violation(history + [.ended(1, reason: "refused")]) == .usableTokenIsNotLost)
    }
}
