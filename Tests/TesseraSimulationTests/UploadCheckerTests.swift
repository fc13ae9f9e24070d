// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

@testable internal import TesseraSimulation

@Suite("Invariant checker: uploads and consents")
struct UploadCheckerTests {
    private static let bytes = SimulatedContent([1, 2, 3])
    private static let began: [SimulationEvent.Action] = [
        .began(1, SessionOperation(.upload, of: "ada")), .uploading(1, upload: 1, Self.bytes),
    ]
    private static let created = SimulationEvent.Action.created(upload: 1, Self.bytes)

    private static func violation(_ actions: [SimulationEvent.Action]) -> Invariant? {
        var checker = InvariantChecker()
        for action in actions { checker.observe(SimulationEvent(time: 0, actor: .process(1), action: action)) }
        return checker.violation?.invariant
    }

    private static func saved(_ consent: Int, _ number: Int, in store: String = "1") -> SimulationEvent.Action {
        let access = SimulatedToken(.access, subject: "ada", consent: consent, number: number)
        let refresh = SimulatedToken(.refresh, subject: "ada", consent: consent, number: number + 1)
        return .saved(SavedTokens(subject: "ada", access: access, refresh: refresh), store: store)
    }

    @Test("An upload that creates one object with its bytes violates nothing, whether it succeeds or fails")
    func complete() {
        #expect(Self.violation(Self.began + [Self.created, .succeeded(1)]) == nil)
        #expect(Self.violation(Self.began + [Self.created, .failed(1, "error")]) == nil)
        #expect(Self.violation(Self.began + [.failed(1, "error")]) == nil)
    }

    @Test("An upload that is resumed by another operation may succeed with the object of the first one")
    func resumed() {
        let resumed = SimulationEvent.Action.uploading(2, upload: 1, Self.bytes)
        #expect(Self.violation(Self.began + [Self.created, .failed(1, "timed out"), resumed, .succeeded(2)]) == nil)
        #expect(Self.violation(Self.began + [.failed(1, "timed out"), resumed, .succeeded(2)]) == .uploadArrivesOnce)
    }

    @Test("An upload that succeeds without an object violates uploadArrivesOnce")
    func missing() { #expect(Self.violation(Self.began + [.succeeded(1)]) == .uploadArrivesOnce) }

    @Test("A second object of an upload violates uploadArrivesOnce, even if the upload has failed")
    func twice() {
        #expect(Self.violation(Self.began + [Self.created, Self.created]) == .uploadArrivesOnce)
        #expect(Self.violation(Self.began + [.failed(1, "error"), Self.created, Self.created]) == .uploadArrivesOnce)
    }

    @Test("An object with other bytes violates uploadArrivesOnce", arguments: [[], [1, 2], [1, 2, 4], [1, 2, 3, 3]])
    func otherBytes(bytes: [UInt8]) {
        let created = SimulationEvent.Action.created(upload: 1, SimulatedContent(bytes))
        #expect(Self.violation(Self.began + [created]) == .uploadArrivesOnce)
    }

    @Test("A piece at another offset than the API expects violates uploadArrivesOnce")
    func offset() {
        #expect(Self.violation(Self.began + [.pieceRejected(upload: 1, offset: 1, received: 2)]) == .uploadArrivesOnce)
    }

    @Test("A token from an exchanged code may be received after it was saved, and only by its account")
    func exchanged() {
        let access = SimulatedToken(.access, subject: "ada", consent: 0, number: 1)
        let refresh = SimulatedToken(.refresh, subject: "ada", consent: 0, number: 2)
        let exchanged = SimulationEvent.Action.exchanged(refresh, access: access, request: 1, lifetime: 60)
        let began = SimulationEvent.Action.began(1, SessionOperation(.browserSignIn, of: "ada"))
        #expect(Self.violation([began, exchanged, Self.saved(0, 1), .received(1, access)]) == nil)
        #expect(Self.violation([began, exchanged, .received(1, access)]) == .tokenWasSaved)
    }

    @Test("A record that is saved after another consent replaced it violates usableTokenIsNotLost")
    func superseded() {
        #expect(Self.violation([Self.saved(0, 1), Self.saved(1, 3), Self.saved(1, 5)]) == nil)
        #expect(Self.violation([Self.saved(1, 3), Self.saved(0, 1)]) == nil)
        #expect(Self.violation([Self.saved(0, 1), Self.saved(1, 3), Self.saved(0, 5)]) == .usableTokenIsNotLost)
        #expect(Self.violation([Self.saved(0, 1), Self.saved(1, 3), Self.saved(0, 5, in: "2")]) == nil)
    }
}
