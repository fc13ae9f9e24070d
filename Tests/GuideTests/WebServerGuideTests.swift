// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// What the guide of `TesseraOAuth` quotes.
@Suite("The guide to web servers")
struct WebServerGuideTests {
    let world: ScriptedProvider

    init() throws { self.world = try ScriptedProvider() }

    func site() async throws -> OneProcessSignIn {
        let runtime = self.world.runtime
        let registered = try self.world.provider.client
        // guide: discovery
        let request = MetadataRequest(.openIDConnect, of: try Issuer("https://id.example"))
        let (head, body) = try await runtime.exchange(try request.message())
        let metadata = try request.metadata(status: head.status.code, body: body)
        let client = RegisteredClient(registered, metadata: metadata, runtime: runtime)
        // end
        return OneProcessSignIn(
            client,
            keys: try #require(metadata.jwksURI),
            redirectURI: try RedirectURI("https://app.example/callback")
        )
    }

    @Test("A visitor comes back with the code, and is known")
    func visitor() async throws {
        let site = try await self.site()
        let redirect = try self.world.consent(to: try await site.begin(for: "cookie"))
        #expect(try await site.finish(for: "cookie", at: redirect)?.subject == "ada")
        #expect(try await site.finish(for: "cookie", at: redirect) == nil)
    }

    @Test("An answer to another visitor's attempt is nobody's")
    func stranger() async throws {
        let site = try await self.site()
        let redirect = try self.world.consent(to: try await site.begin(for: "cookie"))
        _ = try await site.begin(for: "another")
        #expect(try await site.finish(for: "another", at: redirect) == nil)
        #expect(try await site.finish(for: "nobody", at: redirect) == nil)
    }
}
