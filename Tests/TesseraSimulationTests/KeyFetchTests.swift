// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

@testable internal import TesseraSimulation

@Suite("Rule for fetching keys")
struct KeyFetchTests {
    private static let name = "ada-openid"
    private static let first = SimulatedToken(.refresh, subject: Self.name, consent: 0, number: 1)
    private static let access = SimulatedToken(.access, subject: Self.name, consent: 0, number: 2)
    private static let second = SimulatedToken(.refresh, subject: Self.name, consent: 0, number: 3)
    private static let newAccess = SimulatedToken(.access, subject: Self.name, consent: 0, number: 4)

    /// Returns the invariant that the events of a process violate.
    private static func violation(_ actions: [SimulationEvent.Action]) -> Invariant? {
        var checker = InvariantChecker()
        for action in actions { checker.observe(SimulationEvent(time: 0, actor: .process(1), action: action)) }
        return checker.violation?.invariant
    }

    private static func sent(
        _ refresh: SimulatedToken?,
        to origin: String = SimulatedIssuer.openID.url,
        path: String = "/token",
        number: Int = 1
    ) -> SimulationEvent.Action {
        let method = refresh == nil ? "GET" : "POST"
        return .sent(
            SimulationEvent.Request(
                method: method,
                origin: origin,
                path: path,
                refreshToken: refresh,
                accessToken: nil
            ),
            request: number
        )
    }

    private static let keys = Self.sent(nil, path: SimulatedProvider.keysPath, number: 2)

    private static func tokens(isUnchecked: Bool) -> SavedTokens {
        SavedTokens(subject: Self.name, access: Self.newAccess, refresh: Self.second, isUnchecked: isUnchecked)
    }

    /// A refresh whose response has arrived.
    private static let refreshed: [SimulationEvent.Action] = [
        Self.sent(Self.first),
        .refreshed(Self.first, access: Self.newAccess, refresh: Self.second, request: 1, lifetime: 60),
        .delivered(SimulationEvent.Response(status: 200, refreshToken: Self.second), request: 1),
    ]

    private static let session: [SimulationEvent.Action] = [
        .consented(Self.first),
        .saved(SavedTokens(subject: Self.name, access: Self.access, refresh: Self.first), store: "1"),
    ]

    @Test("Keys that are fetched before a new refresh token is saved violate usableTokenIsNotLost")
    func unsaved() {
        let history = Self.session + Self.refreshed
        #expect(Self.violation(history + [Self.keys]) == .usableTokenIsNotLost)
        #expect(Self.violation(history + [.saved(Self.tokens(isUnchecked: true), store: "1"), Self.keys]) == nil)
    }

    @Test("Keys can be fetched after the save has failed, or for a sign-in")
    func explained() {
        let failed = SimulationEvent.Action.saveFailed(Self.tokens(isUnchecked: true), store: "1")
        #expect(Self.violation(Self.session + Self.refreshed + [failed, Self.keys]) == nil)
        #expect(Self.violation([.consented(Self.first)] + Self.refreshed + [Self.keys]) == nil)
    }

    @Test("A token that is returned before its ID token is checked violates tokenWasSaved")
    func unchecked() {
        let began = SimulationEvent.Action.began(1, SessionOperation(.refresh, of: Self.name))
        let history =
            Self.session + [began] + Self.refreshed + [.saved(Self.tokens(isUnchecked: true), store: "1"), Self.keys]
        #expect(Self.violation(history + [.received(1, Self.newAccess)]) == .tokenWasSaved)
        let checked = SimulationEvent.Action.saved(Self.tokens(isUnchecked: false), store: "1")
        #expect(Self.violation(history + [checked, .received(1, Self.newAccess)]) == nil)
    }

    @Test("A refresh token that is sent to another issuer violates onlyAuthorizedOrigins")
    func otherIssuer() {
        let sent = Self.sent(Self.first, to: SimulatedProvider.issuer)
        #expect(Self.violation(Self.session + [sent]) == .onlyAuthorizedOrigins)
    }
}
