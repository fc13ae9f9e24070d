// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Several accounts")
struct AccountsTests {
    @Test("The account that was chosen last is the default one, for other processes and after a consent to another too")
    func selection() async throws {
        let (world, sessions) = try await World.withThreeSessions()
        try await world.signIn.select(sessions[0].account)
        #expect(try await world.signIn.restore() === sessions[0])
        #expect(try await world.sibling().signIn.restore()?.account == sessions[0].account)
        world.network.clock.advance(by: .seconds(1))
        try await world.signIn.select(sessions[1].account)
        #expect(try await world.signIn.restore() === sessions[1])
        try await sessions[1].signOut()
        #expect(try await world.signIn.restore() === sessions[0])
    }

    @Test("Choosing an account keeps its tokens, also those that a live session refreshes afterwards")
    func selectionAndRefresh() async throws {
        let (world, sessions) = try await World.withThreeSessions()
        let before = try await sessions[0].accessToken()
        try await world.signIn.select(sessions[0].account)
        #expect(try await sessions[0].accessToken() == before)
        world.expire()
        #expect(try await sessions[0].accessToken() != before)
        #expect(sessions[0].record.history.selectedAt != nil)
        #expect(world.network.requests("/token").count == 4)
        #expect(try await world.sibling().signIn.restore()?.accessToken() == sessions[0].accessToken())
    }

    @Test("Choosing an account loses no tokens that could not be saved before", .covers(117))
    func selectionAndUnsaved() async throws {
        let (world, sessions) = try await World.withThreeSessions()
        world.expire()
        world.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await sessions[0].accessToken() }
        world.store.before(.save, nil)
        try await world.sibling().signIn.select(sessions[0].account)
        _ = try await sessions[0].accessToken()
        #expect(world.network.requests("/token").count == 4)
        #expect(sessions[0].ended == nil)
    }

    @Test("Choosing an account leaves the mark of a refresh that was not finished")
    func selectionAndMark() async throws {
        let (world, sessions) = try await World.withThreeSessions()
        let account = sessions[0].account
        let mark = RefreshMark(begunAt: world.network.runtime.now(), generation: sessions[0].record.generation)
        try await world.store.update(account) { try await $0.mark(mark) }
        try await world.signIn.select(account)
        #expect(try await world.store.load(account)?.refreshMark == mark)
    }

    @Test("Somebody who has no record here cannot be chosen")
    func unknown() async throws {
        let (world, sessions) = try await World.withThreeSessions()
        let account = sessions[0].account
        let stranger = Account(issuer: account.issuer, clientID: account.clientID, subject: "eve")
        await #expect { try await world.signIn.select(stranger) } throws: { SessionEndedError.Code.signedOut ~= $0 }
        let foreign = Account(issuer: "https://other.example", clientID: account.clientID, subject: "ada")
        await #expect { try await world.signIn.select(foreign) } throws: { SessionEndedError.Code.signedOut ~= $0 }
        #expect(try await world.store.list().count == 3)
    }

    @Test("A session is found by email address in any case, by subject, and by no other's")
    func hints() async throws {
        let (world, sessions) = try await World.withThreeSessions()
        let email = try #require(sessions[1].identity.email)
        #expect(try await world.signIn.restore(hint: email.uppercased()) === sessions[1])
        #expect(try await world.signIn.restore(hint: "cy") === sessions[2])
        #expect(try await world.signIn.restore(hint: "CY") == nil)
        #expect(try await world.signIn.restore(hint: "eve@example.com") == nil)
    }

    @Test("A choice counts although the clock was set back since another account's consent")
    func selectionAndClock() async throws {
        let (world, sessions) = try await World.withThreeSessions()
        world.network.clock.setWallClock(to: world.network.clock.date.addingTimeInterval(-86_400))
        try await world.signIn.select(sessions[0].account)
        #expect(try await world.signIn.restore() === sessions[0])
        try await world.signIn.select(sessions[1].account)
        #expect(try await world.sibling().signIn.restore()?.account == sessions[1].account)
    }

    @Test(
        "Where the store cannot be read just now, nobody gets another person's session",
        .covers(117),
        arguments: [StoreError.Code.busy, .unreachable, .locked, .permissionDenied]
    )
    func unreadable(code: StoreError.Code) async throws {
        let (world, sessions) = try await World.withThreeSessions()
        let reads = Sent<Int>()
        world.store.before(.load) {
            reads.value = (reads.value ?? 0) + 1
            if reads.value == 3 { throw StoreError(code, place: "test") }
        }
        await #expect(throws: StoreError(code, place: "test")) { try await world.signIn.restore() }
        reads.value = nil
        await #expect(throws: StoreError(code, place: "test")) { try await world.signIn.restore(hint: "ada") }
        world.store.before(.load, nil)
        #expect(try await world.signIn.restore() === sessions[2])
    }

    @Test("Names that only look alike are two accounts with a session each", .covers(117))
    func lookalikes() async throws {
        let world = try World()
        let name = Sent<String>()
        var options = SignInOptions()
        options.identity = .caller { _ in name.value ?? "" }
        var sessions: [OAuthSession] = []
        for subject in ["caf\u{E9}", "cafe\u{301}"] {
            name.value = subject
            sessions.append(try await world.signIn.signIn(scopes: [World.drive], options: options))
        }
        #expect(sessions[0] !== sessions[1])
        #expect(sessions[0].account != sessions[1].account)
        #expect(try await sessions[0].accessToken() != sessions[1].accessToken())
        for session in sessions {
            #expect(try await world.signIn.restore(session.account) === session)
            #expect(session.ended == nil)
        }
        #expect(try await world.store.list().count == 2)
    }

    @Test("Signing out everybody tries all when one fails")
    func signOutAllFailing() async throws {
        let (world, sessions) = try await World.withThreeSessions()
        let removals = Sent<Int>()
        world.store.before(.remove) {
            removals.value = (removals.value ?? 0) + 1
            if removals.value == 1 { throw StoreError(.permissionDenied, place: "test") }
        }
        await #expect(throws: StoreError(.permissionDenied, place: "test")) { try await world.signIn.signOutAll() }
        world.store.before(.remove, nil)
        #expect(try await world.store.list() == [sessions[0].account])
        #expect(sessions[1...].allSatisfy { $0.ended?.code == .signedOut })
    }

    @Test("Signing out everybody leaves other clients' accounts alone")
    func signOutAll() async throws {
        let (world, sessions) = try await World.withThreeSessions()
        let foreign = try SessionRecord.sample(
            for: Account(issuer: "https://other.example", clientID: "c", subject: "ada")
        )
        try await world.store.update(foreign.account) { try await $0.save(foreign) }
        try await world.signIn.signOutAll()
        #expect(try await world.store.list() == [foreign.account])
        #expect(sessions.allSatisfy { $0.ended?.code == .signedOut })
    }

    @Test("A person's identifier is the same through any client, and another at any other provider")
    func identifiers() {
        let ada = Account(issuer: "https://a.example", clientID: "one", subject: "7")
        #expect(ada.id == "https://a.example#7")
        #expect(ada.id == Account(issuer: "https://a.example", clientID: "two", subject: "7").id)
        #expect(ada.id != Account(issuer: "https://b.example", clientID: "one", subject: "7").id)
    }
}
