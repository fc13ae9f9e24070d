// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TestTraits
internal import Testing
internal import TesseraJOSE
internal import TesseraJSON
@testable internal import TesseraLocalProvider

@Suite("Code exchange of the local provider")
struct CodeExchangeInternalTests {
    typealias Provider = ProviderUnderTest

    @Test("Returns tokens and the granted scopes with no-store")
    func response() throws {
        var provider = try Provider()
        let code = try provider.code()
        let response = provider.exchange(code)
        #expect(response.status == .ok)
        #expect(response.headers[.cacheControl] == "no-store")
        let json = try response.json
        #expect(json["token_type"]?.string == "Bearer")
        #expect(try json["expires_in"]?.integer() == 3600)
        #expect(json["scope"]?.string == "openid \(ScopeCatalog.email)")
        #expect(json["refresh_token"]?.string?.hasPrefix("1//") == true)
    }

    @Test(
        "Signs the ID token with a published key and includes Google's claims",
        arguments: [JWSAlgorithm.rs256, .es256, .edDSA]
    )
    func idToken(algorithm: JWSAlgorithm) throws {
        var provider = try Provider { $0.signingAlgorithm = algorithm }
        let tokens = try provider.tokens(["scope": "openid email profile", "max_age": "600"], as: Provider.noor)
        let token = try CompactJWS(parsing: try #require(tokens.id))
        let keys = try JWKSet(parsing: provider.send(.get, "/oauth2/v3/certs").bytes)
        let key = try #require(keys.candidates(for: token.header).first)
        try token.verify(with: key)
        let claims = try token.claims()
        let strings = [
            "iss": Provider.baseURL, "aud": provider.client.id, "azp": provider.client.id,
            "sub": Provider.noor.subject, "email": Provider.noor.email, "hd": "tessera.example", "nonce": "n-1",
            "name": "Noor Hadid", "given_name": "Noor", "family_name": "Hadid", "locale": "en",
            "picture": "\(Provider.baseURL)/avatars/\(Provider.noor.subject).svg",
        ]
        for (name, value) in strings { #expect(claims[name]?.string == value, "\(name)") }
        #expect(claims["email_verified"]?.bool == true)
        #expect(try claims["iat"]?.integer(Int64.self) == provider.now)
        #expect(try claims["exp"]?.integer(Int64.self) == provider.now + 3600)
        #expect(try claims["auth_time"]?.integer(Int64.self) == provider.now)
        let hash = try #require(claims["at_hash"]?.string)
        #expect(TokenHash.matches(hash, of: tokens.access, algorithm: algorithm))
    }

    @Test("Returns claims that match the scopes, and no ID token without openid")
    func claims() throws {
        var provider = try Provider()
        let email = try CompactJWS(parsing: try #require(try provider.tokens().id)).claims()
        #expect(email["email"] != nil)
        #expect(email["name"] == nil)
        #expect(email["auth_time"] == nil)
        #expect(try provider.tokens(["scope": Provider.driveReadonly]).id == nil)
        #expect(try provider.tokens(["scope": "email"]).scopes == [ScopeCatalog.email, "openid"])
    }

    @Test("Rejects a reused code and revokes the tokens issued for it", .covers(64))
    func reuse() throws {
        var provider = try Provider()
        let code = try provider.code()
        let tokens = try Tokens(provider.exchange(code))
        #expect(provider.userInfo(tokens.access).status == .ok)
        #expect(provider.exchange(code).errorCode == "invalid_grant")
        #expect(provider.userInfo(tokens.access).status == .unauthorized)
        #expect(provider.refresh(try #require(tokens.refresh)).errorCode == "invalid_grant")
    }

    @Test("Requires no secret from a client that has none")
    func publicClient() throws {
        var provider = try Provider { $0.clients[0].secret = "" }
        let code = try provider.code()
        #expect(provider.exchange(code, ["client_secret": "wrong"]).errorCode == "invalid_client")
        let tokens = try Tokens(provider.exchange(code, ["client_secret": nil]))
        let refreshed = provider.refresh(try #require(tokens.refresh), ["client_secret": nil])
        #expect(provider.userInfo(try Tokens(refreshed).access).status == .ok)
    }

    static let refused: [(String, String?, String)] = [
        ("grant_type", nil, "invalid_request"), ("grant_type", "password", "unsupported_grant_type"),
        ("code", nil, "invalid_request"), ("code", "4/unknown", "invalid_grant"),
        ("redirect_uri", nil, "invalid_grant"), ("redirect_uri", "http://127.0.0.1:50123/other", "invalid_grant"),
        ("code_verifier", nil, "invalid_grant"), ("code_verifier", String(repeating: "w", count: 43), "invalid_grant"),
        ("client_id", nil, "invalid_request"), ("client_id", "nobody", "invalid_client"),
        ("client_secret", nil, "invalid_request"), ("client_secret", "wrong", "invalid_client"),
    ]

    @Test("Returns the standard error for an invalid token request", .covers(63, 72), arguments: refused)
    func faults(parameter: String, value: String?, code: String) throws {
        var provider = try Provider()
        let response = provider.exchange(try provider.code(), [parameter: value])
        #expect(response.errorCode == code)
        #expect(response.status == (code == "invalid_client" ? .unauthorized : .badRequest))
        #expect(response.headers[.cacheControl] == "no-store")
    }

    @Test("Invalidates a code after a wrong verifier", .covers(99))
    func wrongVerifier() throws {
        var provider = try Provider()
        let code = try provider.code()
        #expect(provider.exchange(code, ["code_verifier": "x"]).errorCode == "invalid_grant")
        #expect(provider.exchange(code).errorCode == "invalid_grant")
    }

    @Test("Accepts a code for five minutes")
    func expiry() throws {
        var provider = try Provider()
        let (first, second) = (try provider.code(), try provider.code(["prompt": "consent"]))
        provider.now += ProviderState.codeLifetime - 1
        #expect(provider.exchange(first).status == .ok)
        provider.now += 1
        #expect(provider.exchange(second).errorCode == "invalid_grant")
    }

    @Test("Rejects a code issued to another client")
    func otherClient() throws {
        var provider = try Provider { $0.clients = [.desktop, .web(redirectURIs: [Provider.redirectURI])] }
        let code = try provider.code()
        provider.client = .web(redirectURIs: [])
        #expect(provider.exchange(code).errorCode == "invalid_grant")
    }

    @Test("Issues a refresh token to a web client only for offline access with consent")
    func onlineAndOffline() throws {
        var provider = try Provider { $0.clients = [.web(redirectURIs: [Provider.redirectURI])] }
        #expect(try provider.tokens().refresh == nil)
        let offline = ["access_type": "offline"]
        #expect(try provider.tokens(offline).refresh == nil)
        #expect(try provider.tokens(["access_type": "offline", "prompt": "consent"]).refresh != nil)
        provider.state.revokeAll()
        #expect(try provider.tokens(offline).refresh != nil)
    }

    @Test("Accepts only a form without repeated parameters", .covers(28, 71))
    func formOnly() throws {
        var provider = try Provider()
        let form = [("grant_type", "authorization_code"), ("code", try provider.code())]
        let json = ["Content-Type": "application/json"]
        #expect(provider.post("/token", form, json).errorCode == "invalid_request")
        #expect(provider.post("/token", form + [("code", "x")]).errorCode == "invalid_request")
        #expect(provider.send(.get, "/token").status == .methodNotAllowed)
        #expect(provider.send(.get, "/token").headers[.allow] == "POST")
    }

    static let basic: [(String, Int)] = [
        ("Basic MTA0ODU3NjAwMDAwLXRlc3NlcmEuYXBwcy5sb2NhbDpub3QtYS1zZWNyZXQtbG9jYWwtcHJvdmlkZXI=", 200),
        ("basic  MTA0ODU3NjAwMDAwLXRlc3NlcmEuYXBwcy5sb2NhbDpub3QlMkRhLXNlY3JldC1sb2NhbC1wcm92aWRlcg==", 200),
        ("Basic MTA0ODU3NjAwMDAwLXRlc3NlcmEuYXBwcy5sb2NhbDp3cm9uZw==", 401),
        ("Basic bm8gY29sb24=", 401), ("Basic !!!", 401), ("Basic", 401), ("Basic /w==", 401), ("Bearer x", 401),
    ]

    @Test(
        "Decodes Basic credentials and challenges a failed authentication",
        .covers(62),
        arguments: basic
    )
    func basicAuthentication(header: String, status: Int) throws {
        var provider = try Provider()
        let form = [
            ("grant_type", "authorization_code"), ("code", try provider.code()),
            ("redirect_uri", Provider.redirectURI), ("code_verifier", Provider.verifier),
        ]
        let response = provider.post("/token", form, ["Authorization": header])
        #expect(response.status.code == status)
        #expect((response.headers[.wwwAuthenticate]?.hasPrefix("Basic realm=") == true) == (status == 401))
    }

    @Test("Rejects two client authentication methods in one request", .covers(62))
    func twoWays() throws {
        var provider = try Provider()
        let form = [("grant_type", "refresh_token"), ("client_secret", provider.client.secret)]
        let response = provider.post("/token", form, ["Authorization": Self.basic[0].0])
        #expect(response.errorCode == "invalid_request")
    }
}
#endif
