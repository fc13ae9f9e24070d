// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TestTraits
internal import Testing
internal import TesseraJOSE
internal import TesseraJSON
@testable internal import TesseraLocalProvider

@Suite("Userinfo, tokeninfo, discovery and keys")
struct ResourceInternalTests {
    typealias Provider = ProviderUnderTest

    @Test(
        "Returns the claims of the granted scopes from both userinfo endpoints",
        arguments: ["/v1/userinfo", "/oauth2/v3/userinfo"],
        [HTTPRequest.Method.get, .post]
    )
    func userInfo(path: String, method: HTTPRequest.Method) throws {
        var provider = try Provider()
        let tokens = try provider.tokens()
        let json = try provider.send(method, path, ["Authorization": "bearer \(tokens.access)"]).json
        #expect(json["sub"]?.string == Provider.ada.subject)
        #expect(json["email"]?.string == Provider.ada.email)
        #expect(json["name"] == nil)
    }

    static let challenges: [(String?, Int, String)] = [
        (nil, 401, "Bearer realm=\"http://127.0.0.1:8400\""),
        ("Bearer unknown", 401, "Bearer realm=\"http://127.0.0.1:8400\", error=\"invalid_token\""),
        ("Basic eDp5", 401, "Bearer realm=\"http://127.0.0.1:8400\", error=\"invalid_token\""),
        ("Bearer", 401, "Bearer realm=\"http://127.0.0.1:8400\", error=\"invalid_token\""),
    ]

    @Test("Challenges a request without a valid token as RFC 6750 requires", arguments: challenges)
    func challenge(header: String?, status: Int, challenge: String) throws {
        var provider = try Provider()
        let response = provider.send(.get, "/v1/userinfo", header.map { ["Authorization": $0] } ?? [:])
        #expect(response.status.code == status)
        #expect(response.headers[.wwwAuthenticate] == challenge)
    }

    @Test("Rejects userinfo requests without the openid scope", .covers(117))
    func insufficientScope() throws {
        var provider = try Provider()
        let response = provider.userInfo(try provider.tokens(["scope": Provider.calendar]).access)
        #expect(response.status == .forbidden)
        #expect(response.headers[.wwwAuthenticate]?.contains("error=\"insufficient_scope\"") == true)
    }

    @Test("Rejects an access token in the query", .covers(120))
    func tokenInQuery() throws {
        var provider = try Provider()
        let token = try provider.tokens().access
        #expect(provider.send(.get, "/v1/userinfo?access_token=\(token)").status == .unauthorized)
    }

    @Test("Describes a valid access token and rejects others at tokeninfo")
    func tokenInfo() throws {
        var provider = try Provider()
        let token = try provider.tokens().access
        let json = try provider.send(.get, "/tokeninfo?access_token=\(token)").json
        #expect(json["aud"]?.string == provider.client.id)
        #expect(json["expires_in"]?.string == "3600")
        #expect(json["access_type"]?.string == "offline")
        #expect(json["email_verified"]?.string == "true")
        #expect(provider.send(.get, "/tokeninfo?access_token=x").errorCode == "invalid_token")
        #expect(provider.send(.get, "/tokeninfo").errorCode == "invalid_token")
    }

    @Test("Publishes a rotated key until its retention period ends", .covers(86))
    func keyRotation() throws {
        var provider = try Provider()
        let token = try CompactJWS(parsing: try #require(try provider.tokens().id))
        func keys() throws -> JWKSet { try JWKSet(parsing: provider.send(.get, "/oauth2/v3/certs").bytes) }
        let newer = try JWSSigningKey.generate(.es256)
        provider.state.keys.rotate(to: newer, at: provider.now, keepingOld: true)
        #expect(try keys().keys.count == 2)
        try token.verify(with: try #require(try keys().candidates(for: token.header).first))
        provider.now += SigningKeys.retention
        #expect(try keys().keys.count == 1)
        provider.state.keys.rotate(to: try JWSSigningKey.generate(.es256), at: provider.now, keepingOld: false)
        #expect(try keys().candidates(for: token.header).isEmpty)
    }

    @Test("Serves cacheable discovery and key documents")
    func discovery() throws {
        var provider = try Provider()
        let response = provider.send(.get, "/.well-known/openid-configuration")
        #expect(response.headers[.cacheControl]?.contains("max-age=3600") == true)
        let json = try response.json
        #expect(json["issuer"]?.string == Provider.baseURL)
        for name in [
            "token_endpoint", "jwks_uri", "userinfo_endpoint", "revocation_endpoint", "authorization_endpoint",
        ] {
            #expect(json[name]?.string?.hasPrefix(Provider.baseURL + "/") == true)
        }
        #expect(json["code_challenge_methods_supported"]?.elements?.map(\.string) == ["S256"])
        #expect(json["authorization_response_iss_parameter_supported"] == nil)
        #expect(provider.send(.get, "/oauth2/v3/certs").headers[.cacheControl]?.contains("max-age=") == true)
        #expect(try provider.send(.get, "/oauth2/v1/certs").json.members?.count == 1)
        #expect(provider.send(.post, "/oauth2/v3/certs").status == .methodNotAllowed)
        #expect(provider.send(.get, "/nothing").status == .notFound)
    }

    @Test("Serves an avatar with the initials of each account")
    func avatars() throws {
        var provider = try Provider()
        let picture = provider.send(.get, "/avatars/\(Provider.ada.subject).svg")
        #expect(picture.headers[.contentType] == "image/svg+xml")
        #expect(picture.text.contains(">AM</text>"))
        #expect(provider.send(.get, "/avatars/../secret.svg").status == .notFound)
    }

    @Test("Responds to random requests without a server error", .covers(125))
    func randomRequests() throws {
        var provider = try Provider()
        let seed = TestSeed.printed()
        var random = SeededGenerator(seed: seed)
        let paths = [
            "/o/oauth2/v2/auth", "/o/oauth2/v2/auth/account", "/o/oauth2/v2/auth/consent", "/token", "/revoke",
            "/tokeninfo", "/v1/userinfo", "/", "/avatars/",
        ]
        let valid = ProviderUnderTest.form(provider.query())
        for round in 0..<3000 {
            var bytes = Array(valid.utf8)
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                let location = Int.random(in: 0..<bytes.count, using: &random)
                bytes[location] = UInt8.random(in: .min ... .max, using: &random)
            }
            let text = String(decoding: bytes, as: UTF8.self)
            let path = paths[round % paths.count]
            let get = provider.send(.get, path + "?" + text)
            let post = provider.send(
                .post,
                path,
                ["Content-Type": "application/x-www-form-urlencoded", "Authorization": text],
                body: text
            )
            for response in [get, post] {
                let isHandled = response.status.code < 500
                #expect(isHandled, "seed \(seed), round \(round)")
            }
        }
    }
}
#endif
