// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// The code in the guide of `TesseraOAuth`.
@Suite("Guide for web servers")
struct WebServerGuideTests {
    let provider: ScriptedProvider

    init() throws { self.provider = try ScriptedProvider() }

    func site() async throws -> OneProcessSignIn {
        let runtime = self.provider.runtime
        let registered = try self.provider.provider.client
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

    @Test("Identifies a visitor who returns with a code, once")
    func visitor() async throws {
        let site = try await self.site()
        let redirect = try self.provider.consent(to: try await site.begin(for: "cookie"))
        #expect(try await site.finish(for: "cookie", at: redirect)?.subject == "ada")
        #expect(try await site.finish(for: "cookie", at: redirect) == nil)
    }

    @Test("Ignores a redirect of another visitor's attempt")
    func stranger() async throws {
        let site = try await self.site()
        let redirect = try self.provider.consent(to: try await site.begin(for: "cookie"))
        _ = try await site.begin(for: "another")
        #expect(try await site.finish(for: "another", at: redirect) == nil)
        #expect(try await site.finish(for: "unknown", at: redirect) == nil)
    }
}
