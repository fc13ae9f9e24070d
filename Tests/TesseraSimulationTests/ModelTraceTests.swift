// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

@testable internal import TesseraSimulation

@Suite("Model trace")
struct ModelTraceTests {
    private static let access = SimulatedToken(.access, subject: "ada", consent: 0, number: 2)
    private static let first = SimulatedToken(.refresh, subject: "ada", consent: 0, number: 1)
    private static let second = SimulatedToken(.refresh, subject: "ada", consent: 0, number: 3)
    private static let other = SimulatedToken(.refresh, subject: "ada", consent: 1, number: 4)

    private static var plan: SessionPlan {
        var plan = SessionPlan(seed: 1)
        plan.settings.refreshTokens = .rotating
        return plan
    }

    private static func event(
        _ action: SimulationEvent.Action,
        by actor: SimulationEvent.Actor = .process(7)
    ) -> SimulationEvent {
        SimulationEvent(time: 0, actor: actor, action: action)
    }

    private static func saved(_ refresh: SimulatedToken?, reason: String? = nil) -> SimulationEvent.Action {
        .saved(
            SavedTokens(subject: "ada", access: refresh.map { _ in Self.access }, refresh: refresh, endReason: reason),
            store: "1"
        )
    }

    private static func marked(_ isMarked: Bool) -> SimulationEvent.Action {
        .marked(subject: "ada", isMarked: isMarked, store: "1")
    }

    private static func sent(_ refresh: SimulatedToken, number: Int) -> SimulationEvent.Action {
        .sent(
            SimulationEvent.Request(
                method: "POST",
                origin: SimulatedProvider.issuer,
                path: "/token",
                refreshToken: refresh,
                accessToken: nil
            ),
            request: number
        )
    }

    /// A refresh by process 7, which is killed before process 9 reports that the session was interrupted.
    private static var history: [SimulationEvent] {
        [
            Self.event(Self.saved(Self.first)), Self.event(Self.marked(true)),
            Self.event(Self.sent(Self.first, number: 1)),
            Self.event(
                .refreshed(Self.first, access: Self.access, refresh: Self.second, request: 1, lifetime: 60),
                by: .provider
            ),
            Self.event(.killed), Self.event(Self.marked(true), by: .process(9)),
            Self.event(Self.sent(Self.first, number: 2), by: .process(9)),
            Self.event(.rejected(Self.first, request: 2), by: .provider),
            Self.event(
                .delivered(SimulationEvent.Response(status: 400, refreshToken: nil), request: 2),
                by: .process(9)
            ), Self.event(Self.saved(nil, reason: "interrupted"), by: .process(9)),
        ]
    }

    private static func words(_ trace: ModelTrace?) -> [String] {
        trace?.steps.map { "\($0.label.rawValue) \($0.process) \($0.value)" } ?? []
    }

    @Test("Numbers tokens and running processes, and begins after the first save")
    func steps() {
        let traces = ModelTrace.traces(of: Self.history, plan: Self.plan)
        #expect(traces.count == 1)
        #expect(
            Self.words(traces.first) == [
                "mark 0 1", "send 0 1", "accept 0 2", "kill 0 0", "mark 0 1", "send 0 1", "reject 0 0", "answer 0 0",
                "close 0 1",
            ]
        )
        #expect(traces.first?.processes == 1)
    }

    @Test("Gives two running processes different numbers")
    func processes() {
        let history = [
            Self.event(Self.saved(Self.first)), Self.event(Self.marked(true)),
            Self.event(Self.marked(true), by: .process(9)), Self.event(.removed(subject: "ada", store: "1")),
        ]
        let traces = ModelTrace.traces(of: history, plan: Self.plan)
        #expect(Self.words(traces.first) == ["mark 0 1", "mark 1 1", "remove 0 0"])
        #expect(traces.first?.processes == 2)
    }

    @Test("Begins another trace when another consent is saved, and ignores the events of the previous one")
    func consents() {
        let history = [
            Self.event(Self.saved(Self.first)), Self.event(Self.saved(Self.other)),
            Self.event(Self.sent(Self.first, number: 1)), Self.event(Self.sent(Self.other, number: 2)),
        ]
        let traces = ModelTrace.traces(of: history, plan: Self.plan)
        #expect(traces.map(\.consent) == [0, 1])
        #expect(traces.map(Self.words) == [[], ["send 0 1"]])
    }

    @Test("Counts tokens once that are saved before and after the check of their ID token")
    func uncheckedTokens() {
        let tokens = [true, false]
            .map { isUnchecked in
                SavedTokens(subject: "ada", access: Self.access, refresh: Self.second, isUnchecked: isUnchecked)
            }
        let history = Self.history.prefix(4)
        let saved = tokens.map { Self.event(.saved($0, store: "1")) }
        #expect(
            Self.words(ModelTrace.traces(of: history + saved + [Self.event(.killed)], plan: Self.plan).first) == [
                "mark 0 1", "send 0 1", "accept 0 2", "save 0 2", "kill 0 0",
            ]
        )
        // The model does not save tokens after it could not save them.
        let failed = [Self.event(.saveFailed(tokens[0], store: "1")), saved[1]]
        #expect(
            Self.words(ModelTrace.traces(of: history + failed, plan: Self.plan).first) == [
                "mark 0 1", "send 0 1", "accept 0 2", "fail 0 0",
            ]
        )
    }

    @Test("Ignores responses that show that the provider has not acted")
    func unavailable() {
        let history = [
            Self.event(Self.saved(Self.first)), Self.event(Self.sent(Self.first, number: 1)),
            Self.event(.delivered(SimulationEvent.Response(status: 503, refreshToken: nil), request: 1)),
        ]
        #expect(Self.words(ModelTrace.traces(of: history, plan: Self.plan).first) == ["send 0 1"])
    }

    @Test(
        "Has no traces if refresh tokens remain valid after a refresh",
        arguments: [SimulatedProvider.RefreshTokens.fixed, .rotatingWithGracePeriod]
    )
    func settings(tokens: SimulatedProvider.RefreshTokens) {
        var plan = Self.plan
        plan.settings.refreshTokens = tokens
        #expect(ModelTrace.traces(of: Self.history, plan: plan).isEmpty)
    }
}
