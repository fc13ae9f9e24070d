// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJOSE
internal import TesseraJSON
@testable internal import TesseraLocalProvider

@Suite("Server authorization code")
struct ServerCodeInternalTests {
    typealias Provider = ProviderUnderTest
    private static let web = LocalProviderClient.web(redirectURIs: ["https://site.example/callback"])

    private static func provider() throws -> Provider { try Provider { $0.clients.append(Self.web) } }

    private static func exchange(
        _ provider: inout Provider,
        _ code: String,
        _ changes: [String: String?] = [:]
    ) -> ProviderResponse {
        var form: [String: String] = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": "", "client_id": Self.web.id,
            "client_secret": Self.web.secret,
        ]
        for (name, value) in changes { form[name] = value }
        return provider.post("/token", form.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    @Test(
        "Issues a single-use code for the server client named by the app"
    )
    func exchange() throws {
        var provider = try Self.provider()
        let response = provider.exchange(try provider.code(["audience": Self.web.id]))
        let app = try response.json
        let appToken = try CompactJWS(parsing: try #require(app["id_token"]?.string)).claims()
        #expect(appToken["aud"]?.string == Self.web.id)
        #expect(appToken["azp"]?.string == provider.client.id)
        let code = try #require(app["server_code"]?.string)
        #expect(
            Self.exchange(&provider, code, ["client_id": provider.client.id, "client_secret": provider.client.secret])
                .status == .badRequest
        )
        #expect(Self.exchange(&provider, code, ["redirect_uri": "https://site.example/callback"]).status == .badRequest)
        let server = try Self.exchange(&provider, code).json
        let token = try CompactJWS(parsing: try #require(server["id_token"]?.string)).claims()
        #expect(token["aud"]?.string == Self.web.id)
        #expect(token["azp"]?.string == Self.web.id)
        #expect(token["sub"]?.string == appToken["sub"]?.string)
        #expect(token["nonce"] == nil)
        #expect(server["refresh_token"]?.string?.isEmpty == false)
        #expect(server["server_code"] == nil)
        #expect(Self.exchange(&provider, code).status == .badRequest)
    }

    @Test("Accepts postmessage or no redirect URI and rejects an unexpected verifier")
    func redirectURIs() throws {
        var provider = try Self.provider()
        func code() throws -> String {
            try #require(provider.exchange(try provider.code(["audience": Self.web.id])).json["server_code"]?.string)
        }
        let first = try code()
        #expect(Self.exchange(&provider, first, ["redirect_uri": "postmessage"]).status == .ok)
        let second = try code()
        #expect(Self.exchange(&provider, second, ["redirect_uri": nil]).status == .ok)
        let third = try code()
        #expect(Self.exchange(&provider, third, ["code_verifier": Provider.verifier]).status == .badRequest)
    }

    @Test("Issues no server code without a valid web client")
    func none() throws {
        var provider = try Self.provider()
        #expect(try provider.exchange(try provider.code()).json["server_code"] == nil)
        #expect(provider.authorize(["audience": provider.client.id]).status == .badRequest)
        #expect(provider.authorize(["audience": "unknown"]).status == .badRequest)
    }
}
#endif
