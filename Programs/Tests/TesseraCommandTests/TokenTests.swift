// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TestPrograms

@Suite("tessera token")
struct TokenTests {
    @Test("Prints only the token, or the header field with --header")
    func plain() async throws {
        try await Scene.play { scene in
            try await scene.login()
            let token = try await scene.run("token")
            #expect(token.status == 0)
            #expect(token.line.hasPrefix("ya29."))
            #expect(token.line.allSatisfy { !$0.isWhitespace })
            #expect(token.errors.isEmpty)
            #expect(try await scene.run("token", "--header").line == "Authorization: Bearer \(token.line)")
        }
    }

    @Test("token, status and accounts work offline with a fresh token")
    func offline() async throws {
        try await Scene.play { scene in
            try await scene.login()
            await scene.provider.stop()
            for arguments in [["token"], ["token", "--id-token"], ["status"], ["accounts"], ["scopes"]] {
                #expect(try await scene.run(arguments).status == 0, "\(arguments)")
            }
        }
    }

    @Test("--refresh always refreshes, and --min-validity refreshes if necessary")
    func renewal() async throws {
        try await Scene.play { scene in
            try await scene.login()
            let first = try await scene.run("token").line
            #expect(try await scene.run("token", "--min-validity", "5m").line == first)
            #expect(scene.provider.refreshRequestCount == 0)
            let second = try await scene.run("token", "--min-validity", "2h").line
            #expect(second != first)
            #expect(scene.provider.refreshRequestCount == 1)
            let third = try await scene.run("token", "--refresh").line
            #expect(third != second)
            #expect(scene.provider.refreshRequestCount == 2)
            #expect(try await scene.run("token").line == third)
        }
    }

    @Test("--id-token prints an ID token and its expiration time")
    func idToken() async throws {
        try await Scene.play { scene in
            try await scene.login()
            let object = try await scene.run("token", "--id-token", "--json").json()
            #expect(object["token"]?.string?.split(separator: ".").count == 3)
            #expect(object["type"]?.string == "id_token")
            #expect(object["expiresAt"]?.string?.hasSuffix("Z") == true)
        }
    }

    @Test("Requires a sign-in if the ID token is expired after a refresh")
    func expiredIDToken() async throws {
        var options = LocalProviderOptions()
        options.accessTokenLifetime = 50
        // The provider's clock is behind, but within the tolerance.
        options.now = { Date().addingTimeInterval(-100) }
        try await Scene.play(options) { scene in
            try await scene.login()
            let output = try await scene.run("token", "--id-token", "--json")
            #expect(output.status == 6)
            #expect(try output.json()["error"]?["code"]?.string == "noIDToken")
            #expect(scene.provider.refreshRequestCount == 1)
            #expect(try await scene.run("token").status == 0)
        }
    }

    @Test("Reports a network error and keeps the session if the provider is down", .covers(114))
    func providerDown() async throws {
        try await Scene.play { scene in
            try await scene.login()
            await scene.provider.stop()
            let output = try await scene.run("token", "--refresh", "--json")
            #expect(output.status == 5)
            #expect(try output.json()["error"]?["endsSession"]?.bool == false)
            #expect(try await scene.run("token").status == 0)
        }
    }

    @Test("Requires a sign-in after the session is revoked", .covers(114))
    func revoked() async throws {
        try await Scene.play { scene in
            try await scene.login()
            scene.provider.revokeAll()
            #expect(try await scene.run("token", "--refresh").status == 6)
            let refreshes = scene.provider.refreshRequestCount
            #expect(try await scene.run("token").status == 6)
            #expect(scene.provider.refreshRequestCount == refreshes)
            let status = try await scene.run("status", "--json")
            #expect(status.status == 6)
            #expect(try status.json()["state"]?.string == "needsSignIn")
        }
    }

    @Test("Saves a pending refresh after Ctrl-C", .covers(115))
    func interruptedRefresh() async throws {
        var options = LocalProviderOptions()
        options.rotateRefreshTokens = true
        try await Scene.play(options) { scene in
            try await scene.login()
            let (arrivals, arrived) = AsyncStream<Void>.makeStream()
            let (gate, open) = AsyncStream<Void>.makeStream()
            scene.provider.change { behavior in
                behavior.beforeResponse = { path in
                    guard path.hasSuffix("/token") else { return }
                    arrived.yield()
                    for await _ in gate { break }
                }
            }
            let child = try scene.start(["token", "--refresh"])
            for await _ in arrivals { break }
            child.interrupt()
            let line = Task { await child.finish().status }
            open.finish()
            #expect(await line.value == 130)
            scene.provider.change { $0.beforeResponse = nil }
            // With rotation, a lost response would end the session here.
            let later = try await scene.run("token", "--refresh")
            #expect(later.status == 0, "\(later.errors)")
        }
    }
}
