// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

/// What survives the cancellation of the task that asked for it.
@Suite("Canceled callers")
struct CanceledCallerInternalTests {
    private static func rotating() throws -> TestEnvironment {
        var options = ScriptedProvider.Options()
        options.rotatesRefreshTokens = true
        return try TestEnvironment(options)
    }

    @Test("Waits in a canceled task until a refresh is saved", .covers(115))
    func settle() async throws {
        let environment = try Self.rotating()
        let session = try await environment.staleSession()
        let replaced = session.refreshTokenText
        let gate = environment.holdTokenEndpoint()
        let caller = Task { try await session.accessToken() }
        await gate.waitForArrival()
        let signIn = environment.signIn
        let ending = Task {
            // The program was interrupted.
            withUnsafeCurrentTask { $0?.cancel() }
            await signIn.settle()
            return session.refreshTokenText
        }
        gate.open()
        #expect(await ending.value != replaced)
        _ = try await caller.value
    }

    @Test("Saves tokens in a canceled task that could not be saved before", .covers(115))
    func unsaved() async throws {
        let environment = try Self.rotating()
        let session = try await environment.staleSession()
        let replaced = session.refreshTokenText
        environment.store.fail(.save, .full)
        await #expect(throws: StoreError.self) { try await session.accessToken() }
        environment.store.before(.save, nil)
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await session.settle()
        }
        .value
        let saved = try await environment.store.load(session.account)?.tokens?.refreshToken?.withUnredacted { $0 }
        #expect(saved != nil)
        #expect(saved != replaced)
    }

    @Test(
        "Removes the record of a session whose sign-out was canceled while it waited",
        .covers(115),
        .timeLimit(.minutes(1))
    )
    func signOut() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.staleSession()
        let gate = environment.holdTokenEndpoint()
        let caller = Task { try await session.accessToken() }
        await gate.waitForArrival()
        let events = session.events()
        let signOut = Task { try await session.signOut() }
        for await case .ended in events { break }
        signOut.cancel()
        await #expect(throws: CancellationError.self) { try await signOut.value }
        gate.open()
        _ = try? await caller.value
        while try await environment.store.load(session.account) != nil { await Task.yield() }
        #expect(try await environment.signIn.restore() == nil)
    }

    @Test("Retains the newest refresh token of a released session at the next consent", .covers(115))
    func released() async throws {
        let environment = try Self.rotating()
        var session: OAuthSession? = try await environment.staleSession()
        let replaced = session?.refreshTokenText
        environment.store.fail(.save, .full)
        do {
            _ = try await session?.accessToken()
            Issue.record("No error")
        } catch is StoreError {}
        session = nil
        environment.store.before(.save, nil)
        environment.network.options.issuesRefreshTokens = false
        let next = try await environment.session()
        #expect(next.refreshTokenText != replaced)
        #expect(next.refreshTokenText != nil)
    }

    @Test("Ends the events of a session that is released", .timeLimit(.minutes(1)))
    func events() async throws {
        let environment = try TestEnvironment()
        var session: OAuthSession? = try await environment.session()
        let events = try #require(session?.events())
        session = nil
        for await _ in events {}
    }

    @Test("Continues a session in use with the consent of another process")
    func otherConsent() async throws {
        let environment = try TestEnvironment()
        let session = try await environment.session()
        environment.network.clock.advance(by: .seconds(1))
        let sibling = try environment.sibling()
        _ = try await sibling.session([.openID, .email, TestEnvironment.drive])
        #expect(!session.grantedScopes.contains(TestEnvironment.drive))
        #expect(try await environment.signIn.restore() === session)
        #expect(session.grantedScopes.contains(TestEnvironment.drive))
    }
}
