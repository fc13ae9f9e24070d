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

@Suite("Multiple accounts")
struct AccountsTests {
    @Test("Restores the account that was selected last, in every process")
    func selection() async throws {
        let (environment, sessions) = try await TestEnvironment.withThreeSessions()
        try await environment.signIn.select(sessions[0].account)
        #expect(try await environment.signIn.restore() === sessions[0])
        #expect(try await environment.sibling().signIn.restore()?.account == sessions[0].account)
        environment.network.clock.advance(by: .seconds(1))
        try await environment.signIn.select(sessions[1].account)
        #expect(try await environment.signIn.restore() === sessions[1])
        try await sessions[1].signOut()
        #expect(try await environment.signIn.restore() === sessions[0])
    }

    @Test("Preserves tokens when an account is selected, and refreshes them afterward")
    func selectionAndRefresh() async throws {
        let (environment, sessions) = try await TestEnvironment.withThreeSessions()
        let before = try await sessions[0].accessToken()
        try await environment.signIn.select(sessions[0].account)
        #expect(try await sessions[0].accessToken() == before)
        environment.expire()
        #expect(try await sessions[0].accessToken() != before)
        #expect(sessions[0].record.history.selectedAt != nil)
        #expect(environment.network.requests("/token").count == 4)
        #expect(try await environment.sibling().signIn.restore()?.accessToken() == sessions[0].accessToken())
    }

    @Test("Preserves pending tokens when an account is selected", .covers(117))
    func selectionAndUnsaved() async throws {
        let (environment, sessions) = try await TestEnvironment.withThreeSessions()
        environment.expire()
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await sessions[0].accessToken() }
        environment.store.before(.save, nil)
        try await environment.sibling().signIn.select(sessions[0].account)
        _ = try await sessions[0].accessToken()
        #expect(environment.network.requests("/token").count == 4)
        #expect(sessions[0].ended == nil)
    }

    @Test("Preserves the mark of an unfinished refresh when an account is selected")
    func selectionAndMark() async throws {
        let (environment, sessions) = try await TestEnvironment.withThreeSessions()
        let account = sessions[0].account
        let mark = RefreshMark(begunAt: environment.network.runtime.now(), generation: sessions[0].record.generation)
        try await environment.store.update(account) { try await $0.mark(mark) }
        try await environment.signIn.select(account)
        #expect(try await environment.store.load(account)?.refreshMark == mark)
    }

    @Test("Does not select an account without a record")
    func unknown() async throws {
        let (environment, sessions) = try await TestEnvironment.withThreeSessions()
        let account = sessions[0].account
        let unknownUser = Account(issuer: account.issuer, clientID: account.clientID, subject: "eve")
        await #expect { try await environment.signIn.select(unknownUser) } throws: {
            SessionEndedError.Code.signedOut ~= $0
        }
        let otherIssuer = Account(issuer: "https://other.example", clientID: account.clientID, subject: "ada")
        await #expect { try await environment.signIn.select(otherIssuer) } throws: {
            SessionEndedError.Code.signedOut ~= $0
        }
        #expect(try await environment.store.list().count == 3)
    }

    @Test("Finds a session by email address in any case, or by exact subject")
    func hints() async throws {
        let (environment, sessions) = try await TestEnvironment.withThreeSessions()
        let email = try #require(sessions[1].identity.email)
        #expect(try await environment.signIn.restore(hint: email.uppercased()) === sessions[1])
        #expect(try await environment.signIn.restore(hint: "cy") === sessions[2])
        #expect(try await environment.signIn.restore(hint: "CY") == nil)
        #expect(try await environment.signIn.restore(hint: "eve@example.com") == nil)
    }

    @Test("Honors a selection even if the clock was set back after another account's consent")
    func selectionAndClock() async throws {
        let (environment, sessions) = try await TestEnvironment.withThreeSessions()
        environment.network.clock.setWallClock(to: environment.network.clock.date.addingTimeInterval(-86_400))
        try await environment.signIn.select(sessions[0].account)
        #expect(try await environment.signIn.restore() === sessions[0])
        try await environment.signIn.select(sessions[1].account)
        #expect(try await environment.sibling().signIn.restore()?.account == sessions[1].account)
    }

    @Test(
        "Fails instead of restoring another account if the store cannot be read",
        .covers(117),
        arguments: [StoreError.Code.busy, .unreachable, .locked, .permissionDenied]
    )
    func unreadable(code: StoreError.Code) async throws {
        let (environment, sessions) = try await TestEnvironment.withThreeSessions()
        let reads = SharedValue<Int>()
        environment.store.before(.load) {
            reads.value = (reads.value ?? 0) + 1
            if reads.value == 3 { throw StoreError(code, location: "test") }
        }
        await #expect(throws: StoreError(code, location: "test")) { try await environment.signIn.restore() }
        reads.value = nil
        await #expect(throws: StoreError(code, location: "test")) { try await environment.signIn.restore(hint: "ada") }
        environment.store.before(.load, nil)
        #expect(try await environment.signIn.restore() === sessions[2])
    }

    @Test("Distinguishes accounts whose names are canonically equivalent", .covers(117))
    func lookalikes() async throws {
        let environment = try TestEnvironment()
        let name = SharedValue<String>()
        var options = SignInOptions()
        options.identity = .caller { _ in name.value ?? "" }
        var sessions: [OAuthSession] = []
        for subject in ["caf\u{E9}", "cafe\u{301}"] {
            name.value = subject
            sessions.append(try await environment.signIn.signIn(scopes: [TestEnvironment.drive], options: options))
        }
        #expect(sessions[0] !== sessions[1])
        #expect(sessions[0].account != sessions[1].account)
        #expect(try await sessions[0].accessToken() != sessions[1].accessToken())
        for session in sessions {
            #expect(try await environment.signIn.restore(session.account) === session)
            #expect(session.ended == nil)
        }
        #expect(try await environment.store.list().count == 2)
    }

    @Test("Signs out the remaining accounts if one sign-out fails")
    func signOutAllFailing() async throws {
        let (environment, sessions) = try await TestEnvironment.withThreeSessions()
        let removals = SharedValue<Int>()
        environment.store.before(.remove) {
            removals.value = (removals.value ?? 0) + 1
            if removals.value == 1 { throw StoreError(.permissionDenied, location: "test") }
        }
        await #expect(throws: StoreError(.permissionDenied, location: "test")) {
            try await environment.signIn.signOutAll()
        }
        environment.store.before(.remove, nil)
        #expect(try await environment.store.list() == [sessions[0].account])
        #expect(sessions[1...].allSatisfy { $0.ended?.code == .signedOut })
    }

    @Test("Leaves the accounts of other clients when it signs out all accounts")
    func signOutAll() async throws {
        let (environment, sessions) = try await TestEnvironment.withThreeSessions()
        let other = try SessionRecord.sample(
            for: Account(issuer: "https://other.example", clientID: "c", subject: "ada")
        )
        try await environment.store.update(other.account) { try await $0.save(other) }
        try await environment.signIn.signOutAll()
        #expect(try await environment.store.list() == [other.account])
        #expect(sessions.allSatisfy { $0.ended?.code == .signedOut })
    }

    @Test("Identifies a user by issuer and subject, independently of the client")
    func identifiers() {
        let ada = Account(issuer: "https://a.example", clientID: "one", subject: "7")
        #expect(ada.id == "https://a.example#7")
        #expect(ada.id == Account(issuer: "https://a.example", clientID: "two", subject: "7").id)
        #expect(ada.id != Account(issuer: "https://b.example", clientID: "one", subject: "7").id)
    }
}
