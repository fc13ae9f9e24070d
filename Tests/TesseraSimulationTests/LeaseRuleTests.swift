// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

@testable internal import TesseraSimulation

/// A lost lease excuses what the documentation of sessions says, and nothing else.
@Suite("Rules for lost leases, rejected tokens and cancellation")
struct LeaseRuleTests {
    private typealias Entry = (process: ProcessID, seconds: Int64, action: SimulationEvent.Action)

    private static let first = SimulatedToken(.refresh, subject: "ada", consent: 0, number: 1)
    private static let access = SimulatedToken(.access, subject: "ada", consent: 0, number: 2)
    private static let second = SimulatedToken(.refresh, subject: "ada", consent: 0, number: 3)
    private static let newAccess = SimulatedToken(.access, subject: "ada", consent: 0, number: 4)
    private static let third = SimulatedToken(.refresh, subject: "ada", consent: 0, number: 5)

    /// Returns the invariant that events of several processes violate.
    private static func violation(_ entries: [Entry]) -> Invariant? {
        var checker = InvariantChecker()
        for entry in entries {
            let time = entry.seconds * 1_000_000_000
            checker.observe(SimulationEvent(time: time, actor: .process(entry.process), action: entry.action))
        }
        return checker.violation?.invariant
    }

    private static func saved(_ access: SimulatedToken?, _ refresh: SimulatedToken?) -> SimulationEvent.Action {
        .saved(SavedTokens(subject: "ada", access: access, refresh: refresh), store: "database")
    }

    private static func found(_ access: SimulatedToken, _ refresh: SimulatedToken) -> SimulationEvent.Action {
        .found(SavedTokens(subject: "ada", access: access, refresh: refresh), store: "database")
    }

    private static func sent(_ refresh: SimulatedToken, _ number: Int) -> SimulationEvent.Action {
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

    private static func called(_ access: SimulatedToken, _ number: Int) -> SimulationEvent.Action {
        .sent(
            SimulationEvent.Request(
                method: "GET",
                origin: SimulatedProvider.api,
                path: "/files",
                refreshToken: nil,
                accessToken: access
            ),
            request: number
        )
    }

    private static func delivered(_ status: Int, _ number: Int, _ refresh: SimulatedToken? = nil)
        -> SimulationEvent.Action
    { .delivered(SimulationEvent.Response(status: status, refreshToken: refresh), request: number) }

    private static func began(_ kind: SessionOperation.Kind, _ number: Int = 1) -> SimulationEvent.Action {
        .began(number, SessionOperation(kind, of: "ada"))
    }

    private static let start: [Entry] = [(1, 0, .consented(Self.first)), (1, 0, Self.saved(Self.access, Self.first))]
    private static let taken = SimulationEvent.Action.leaseTaken(subject: "ada", from: 1, isExpired: true)

    @Test("Two processes may refresh at once if one has lost its lease, until it has a lease again")
    func twoRefreshes() {
        let sent: [Entry] = Self.start + [(1, 0, Self.sent(Self.first, 1))]
        let other: Entry = (2, 40, Self.sent(Self.first, 2))
        #expect(Self.violation(sent + [other]) == .oneRefreshOnTheWire)
        #expect(Self.violation(sent + [(2, 40, Self.taken), other]) == nil)
        #expect(
            Self.violation(sent + [(2, 40, Self.taken), (1, 40, .leaseRegained(subject: "ada")), other])
                == .oneRefreshOnTheWire
        )
    }

    @Test("A process that has lost its lease may send a token that was replaced, and another process may not")
    func replaced() {
        let history: [Entry] = Self.start + [(2, 40, Self.taken), (2, 40, Self.saved(Self.newAccess, Self.second))]
        #expect(Self.violation(history + [(1, 41, Self.sent(Self.first, 1))]) == nil)
        #expect(Self.violation(history + [(3, 41, Self.sent(Self.first, 1))]) == .replacedTokenIsNotSent)
    }

    @Test("Taking a lease that has not expired violates leaseIsExclusive")
    func exclusive() {
        let stolen = SimulationEvent.Action.leaseTaken(subject: "ada", from: 1, isExpired: false)
        #expect(Self.violation(Self.start + [(2, 1, stolen)]) == .leaseIsExclusive)
        #expect(Self.violation(Self.start + [(2, 1, Self.taken)]) == nil)
    }

    @Test("Older tokens that replace newer ones violate newerRecordIsNotReplaced, even after a lost lease")
    func order() {
        let history: [Entry] = Self.start + [(2, 40, Self.taken), (2, 40, Self.saved(Self.newAccess, Self.third))]
        #expect(Self.violation(history + [(1, 41, Self.saved(Self.access, Self.second))]) == .newerRecordIsNotReplaced)
        // The tokens of a session that was rejected may be older than those that replace the record.
        let ended: Entry = (2, 41, Self.saved(nil, nil))
        #expect(Self.violation(history + [ended, (1, 42, Self.saved(Self.access, Self.second))]) == nil)
    }

    @Test("A session that another process has saved does not end because its process has lost the lease")
    func abandoned() {
        let history: [Entry] =
            Self.start + [
                (1, 0, Self.began(.refresh)), (1, 0, Self.sent(Self.first, 1)), (2, 40, Self.taken),
                (2, 40, Self.sent(Self.first, 2)),
                (
                    2, 40,
                    .refreshed(Self.first, access: Self.newAccess, refresh: Self.second, request: 2, lifetime: 600)
                ),
            ]
        let saved: Entry = (2, 40, Self.saved(Self.newAccess, Self.second))
        let ended: Entry = (1, 41, .ended(1, reason: "interrupted"))
        #expect(Self.violation(history + [saved, ended]) == .transientFailureEndsNoSession)
        #expect(Self.violation(history + [ended]) == nil)
        #expect(Self.violation(history + [saved, (2, 41, Self.saved(nil, nil)), ended]) == nil)
        #expect(Self.violation(history + [(1, 40, Self.saved(nil, nil)), saved, ended]) == nil)
    }

    @Test("The token of a consent without a refresh token may replace a newer one")
    func repeatedConsent() {
        let consented: Entry = (1, 0, .exchanged(nil, access: Self.access, request: 1, lifetime: 600))
        let history: [Entry] = [Self.start[0], (1, 1, Self.saved(Self.newAccess, Self.first))]
        let saved: Entry = (1, 2, Self.saved(Self.access, Self.first))
        #expect(Self.violation(history + [saved]) == .newerRecordIsNotReplaced)
        #expect(Self.violation(history + [consented, saved]) == nil)
    }

    @Test("Two processes may refresh at once if one is an app whose activities have no more time")
    func app() {
        let sent: [Entry] = Self.start + [(1, 0, Self.sent(Self.first, 1))]
        let other: Entry = (2, 40, Self.sent(Self.first, 2))
        #expect(Self.violation(sent + [(1, 30, .activitiesExpired), other]) == nil)
        #expect(Self.violation(sent + [(2, 30, .activitiesExpired), other]) == .oneRefreshOnTheWire)
    }

    @Test("A token that has expired may be returned 5 seconds later if threads are busy")
    func busyThreads() {
        func violation(at seconds: Int64, isBusy: Bool) -> Invariant? {
            let busy: [Entry] = isBusy ? [(1, 0, .threadsBusy)] : []
            let call: [Entry] = [(1, 599, Self.began(.token, 7)), (1, seconds, .received(7, Self.newAccess))]
            return Self.violation(Self.rejection.prefix(6) + busy + call)
        }
        #expect(violation(at: 603, isBusy: false) == .expiredTokenIsNotReturned)
        #expect(violation(at: 603, isBusy: true) == nil)
        #expect(violation(at: 606, isBusy: true) == .expiredTokenIsNotReturned)
    }

    @Test("A caller that its program did not cancel violates everyWaiterGetsAResult if it is canceled")
    func cancellation() {
        let history: [Entry] = Self.start
        #expect(
            Self.violation(history + [(1, 0, Self.began(.refresh)), (1, 1, .canceled(1))]) == .everyWaiterGetsAResult
        )
        #expect(Self.violation(history + [(1, 0, Self.began(.canceledToken)), (1, 1, .canceled(1))]) == nil)
    }

    @Test("A session object that has ended returns no token")
    func endedObject() {
        let history: [Entry] = Self.start + [(1, 0, Self.began(.endedRefresh))]
        #expect(Self.violation(history + [(1, 1, .received(1, Self.access))]) == .endedSessionDoesNotReturn)
        #expect(Self.violation(history + [(1, 1, .ended(1, reason: "signedOut"))]) == nil)
    }

    @Test("An interruption is reported only if a refresh had an unknown result")
    func unexplained() {
        let history: [Entry] =
            Self.start + [
                (1, 0, Self.began(.refresh)), (1, 0, Self.sent(Self.first, 1)), (1, 1, Self.delivered(400, 1)),
                (1, 1, .revoked(consent: 0)),
            ]
        let ended: Entry = (1, 2, .ended(1, reason: "interrupted"))
        #expect(Self.violation(history + [ended]) == .usableTokenIsNotLost)
        let tokens = SavedTokens(subject: "ada", access: Self.newAccess, refresh: Self.second)
        #expect(Self.violation(history + [(1, 1, .saveFailed(tokens, store: "database")), ended]) == nil)
    }

    /// A process obtains a token, which the API rejects two minutes later.
    private static let rejection: [Entry] =
        Self.start + [
            (1, 0, Self.sent(Self.first, 1)),
            (1, 0, .refreshed(Self.first, access: Self.newAccess, refresh: Self.second, request: 1, lifetime: 600)),
            (1, 0, Self.delivered(200, 1, Self.second)), (1, 0, Self.saved(Self.newAccess, Self.second)),
            (1, 120, Self.began(.call)), (1, 120, Self.called(Self.newAccess, 2)), (1, 121, Self.delivered(401, 2)),
        ]

    @Test("A call that returns without looking for another token violates rejectedTokenIsReplacedOnce")
    func notReplaced() {
        #expect(Self.violation(Self.rejection + [(1, 121, .succeeded(1))]) == .rejectedTokenIsReplacedOnce)
        let looked: Entry = (1, 121, Self.found(Self.newAccess, Self.second))
        #expect(Self.violation(Self.rejection + [looked, (1, 121, .succeeded(1))]) == nil)
    }

    @Test("A second rejection of a token that was replaced violates rejectedTokenIsReplacedOnce if it costs a refresh")
    func replacedTwice() {
        let newest = SimulatedToken(.access, subject: "ada", consent: 0, number: 6)
        let history: [Entry] =
            Self.rejection + [
                (1, 121, Self.called(Self.newAccess, 3)), (1, 121, Self.sent(Self.second, 4)),
                (1, 121, .refreshed(Self.second, access: newest, refresh: Self.third, request: 4, lifetime: 600)),
                (1, 122, Self.delivered(200, 4, Self.third)), (1, 122, Self.saved(newest, Self.third)),
                (1, 123, Self.delivered(401, 3)),
            ]
        #expect(Self.violation(history) == nil)
        #expect(Self.violation(history + [(1, 123, Self.sent(Self.third, 5))]) == .rejectedTokenIsReplacedOnce)
        let forced: Entry = (1, 123, Self.began(.refresh, 2))
        #expect(Self.violation(history + [forced, (1, 123, Self.sent(Self.third, 5))]) == nil)
    }
}
