// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

@testable internal import TesseraSimulation

@Suite("Rules for the sessions in the memory of a process")
struct ProcessSessionsTests {
    private typealias Entry = (process: ProcessID, seconds: Int64, action: SimulationEvent.Action)

    private static let refresh = SimulatedToken(.refresh, subject: "ada", consent: 0, number: 1)
    private static let access = SimulatedToken(.access, subject: "ada", consent: 0, number: 2)
    private static let newRefresh = SimulatedToken(.refresh, subject: "ada", consent: 1, number: 3)
    private static let newAccess = SimulatedToken(.access, subject: "ada", consent: 1, number: 4)
    private static let record = SavedTokens(subject: "ada", access: access, refresh: refresh)
    private static let newRecord = SavedTokens(subject: "ada", access: newAccess, refresh: newRefresh)

    /// Returns the invariant that events of several processes violate.
    private static func violation(_ entries: [Entry]) -> Invariant? {
        var sessions = ProcessSessions()
        for entry in entries {
            let event = SimulationEvent(
                time: entry.seconds * 1_000_000_000,
                actor: .process(entry.process),
                action: entry.action
            )
            if let (invariant, _) = sessions.observe(event) { return invariant }
        }
        return nil
    }

    private static func began(_ number: Int, _ kind: SessionOperation.Kind) -> SimulationEvent.Action {
        .began(number, SessionOperation(kind, of: "ada"))
    }

    private static let sent = SimulationEvent.Action.sent(
        SimulationEvent.Request(
            method: "POST",
            origin: SimulatedProvider.issuer,
            path: "/token",
            refreshToken: refresh,
            accessToken: nil
        ),
        request: 1
    )

    @Test("A session that a process has ended is not refreshed, unless an operation has restored it")
    func endedSession() {
        let signOut: [Entry] = [(1, 1, Self.began(1, .signOut)), (1, 2, .failed(1, "disk"))]
        #expect(Self.violation(signOut + [(1, 3, Self.sent)]) == .endedSessionDoesNotReturn)
        let ended: Entry = (1, 3, Self.began(2, .endedRefresh))
        #expect(Self.violation(signOut + [ended, (1, 4, Self.sent)]) == .endedSessionDoesNotReturn)
        #expect(Self.violation(signOut + [ended, (2, 4, Self.sent)]) == nil)
        let restored: Entry = (1, 3, Self.began(2, .token))
        #expect(Self.violation(signOut + [restored, (1, 4, Self.sent)]) == nil)
    }

    @Test("A process removes only records of consents that it has found, or that it cannot read")
    func unknownConsent() {
        let saved: [Entry] = [(1, 1, .saved(Self.record, store: "disk"))]
        let removed: Entry = (2, 3, .removed(subject: "ada", store: "disk"))
        #expect(Self.violation(saved + [removed]) == .usableTokenIsNotLost)
        #expect(Self.violation(saved + [(2, 2, .found(Self.record, store: "disk")), removed]) == nil)
        #expect(Self.violation(saved + [(2, 2, .loadFailed(subject: "ada", store: "disk")), removed]) == nil)
        let damaged = SimulationEvent.Action.notFound(subject: "ada", isDamaged: true, store: "disk", begunAt: 0)
        #expect(Self.violation(saved + [(2, 2, damaged), removed]) == nil)
    }

    @Test("A sign-in and the operations after it receive no token of an earlier consent")
    func earlierConsent() {
        let consents: [Entry] = [
            (1, 1, .saved(Self.record, store: "disk")), (1, 2, Self.began(1, .signIn)),
            (1, 3, .saved(Self.newRecord, store: "disk")),
        ]
        #expect(Self.violation(consents + [(1, 4, .received(1, Self.access))]) == .usableTokenIsNotLost)
        let other: Entry = (1, 3, Self.began(2, .addScopes))
        #expect(Self.violation(consents + [other, (1, 4, .received(1, Self.access))]) == nil)
        let signedIn = consents + [(1, 4, .received(1, Self.newAccess))]
        let received: Entry = (1, 6, .received(2, Self.access))
        #expect(Self.violation(signedIn + [(1, 5, Self.began(2, .token)), received]) == .usableTokenIsNotLost)
        #expect(Self.violation(signedIn + [(1, 3, Self.began(2, .token)), received]) == nil)
        let new: Entry = (1, 6, .received(2, Self.newAccess))
        #expect(Self.violation(signedIn + [(1, 5, Self.began(2, .token)), new]) == nil)
    }

    @Test("A sign-in may return the token of a consent that another one has just replaced only if threads are busy")
    func overlappingSignIns() {
        let signIns: [Entry] = [
            (1, 1, Self.began(1, .signIn)), (1, 2, Self.began(2, .signIn)), (1, 3, .saved(Self.record, store: "disk")),
            (1, 4, .saved(Self.newRecord, store: "disk")), (1, 5, .received(2, Self.newAccess)),
        ]
        let late: Entry = (1, 6, .received(1, Self.access))
        let busy: Entry = (1, 0, .threadsBusy)
        #expect(Self.violation([busy] + signIns + [late]) == nil)
        #expect(Self.violation(signIns + [late]) == .usableTokenIsNotLost)
        #expect(Self.violation([busy] + signIns + [(1, 11, .received(1, Self.access))]) == .usableTokenIsNotLost)
    }

    @Test("A forced refresh returns no token that had expired when it was found, unless a clock is wrong")
    func expiredToken() {
        let issued: Entry = (
            2, 1, .refreshed(Self.refresh, access: Self.access, refresh: nil, request: 1, lifetime: 30)
        )
        let began: Entry = (1, 20, Self.began(1, .refresh))
        let received: Entry = (1, 50, .received(1, Self.access))
        let found: Entry = (1, 32, .found(Self.record, store: "database"))
        #expect(Self.violation([issued, began, found, received]) == .expiredTokenIsNotReturned)
        let clock: Entry = (1, 2, .clockSet(skew: 1))
        #expect(Self.violation([issued, clock, began, found, received]) == nil)
        let saved: Entry = (1, 31, .saved(Self.record, store: "database"))
        #expect(Self.violation([issued, began, saved, found, received]) == nil)
        let early: Entry = (1, 30, .found(Self.record, store: "database"))
        #expect(Self.violation([issued, began, early, received]) == nil)
        #expect(Self.violation([issued, (1, 20, Self.began(1, .token)), found, received]) == nil)
    }
}
