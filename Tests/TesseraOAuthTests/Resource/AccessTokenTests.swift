// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Access tokens at a resource server")
struct AccessTokenTests {
    private static func token(
        _ changes: [String: String] = [:],
        type: String? = "at+jwt",
        key: Result<JWSSigningKey, any Error> = IDTokens.key
    ) throws -> JWTAccessToken {
        let claims = [
            "aud": "\"https://api.example\"", "nonce": "", "client_id": "\"client\"", "jti": "\"j\"",
            "scope": "\"read write\"",
        ]
        let policy = AccessTokenPolicy(
            issuer: try Issuer(Example.issuer),
            audiences: ["https://api.example", "https://api.example/v2"],
            algorithms: [.es256]
        )
        let token = try IDTokens.token(claims.merging(changes) { $1 }, type: type, key: key)
        return try policy.validate(token, keys: IDTokens.keys([IDTokens.published()]), now: IDTokens.now)
    }

    @Test("Reads the claims of a valid access token")
    func claims() throws {
        let token = try Self.token()
        #expect(token.subject == "subject")
        #expect(token.clientID == "client")
        #expect(token.tokenID == "j")
        #expect(token.scopes == ["read", "write"])
        #expect(token.expiresAt == 1_700_003_600)
        #expect(token.claims.audience == ["https://api.example"])
        #expect(token.confirmation == nil)
        #expect(try Self.token(["scope": ""]).scopes.isEmpty)
        #expect(outcome { try Self.token(type: "application/AT+JWT") } == "accepted")
    }

    @Test(
        "Rejects an access token that violates RFC 9068 or has another audience",
        .covers(85, 88, 89, 90, 91)
    )
    func hostile() throws {
        for claim in ["iss", "aud", "exp", "sub", "client_id", "iat", "jti"] {
            #expect(outcome { try Self.token([claim: ""]) } == "jwt.claims", "\(claim)")
            #expect(outcome { try Self.token([claim: "[5]"]) } == "jwt.claims", "\(claim)")
        }
        for claim in ["sub", "client_id", "jti"] {
            #expect(outcome { try Self.token([claim: "\"\""]) } == "jwt.claims", "\(claim)")
        }
        for type in [nil, "JWT", "logout+jwt", "at+jwt;x"] {
            #expect(outcome { try Self.token(type: type) } == "jwt.type")
        }
        #expect(outcome { try Self.token(["iss": "\"https://as.example/\""]) } == "jwt.issuer")
        #expect(outcome { try Self.token(["aud": "\"https://api.example/\""]) } == "jwt.audience")
        #expect(outcome { try Self.token(["aud": "[\"x\",\"https://api.example/v2\"]"]) } == "accepted")
        #expect(outcome { try Self.token(["exp": "1699999940"]) } == "jwt.time")
        #expect(outcome { try Self.token(["nbf": "1700000061"]) } == "jwt.time")
        #expect(outcome { try Self.token(["scope": "[\"read\"]"]) } == "jwt.claims")
        #expect(outcome { try Self.token(["scope": "\"read\\u001b[2J\""]) } == "scope.form")
        #expect(outcome { try Self.token(["cnf": "{\"jkt\":5}"]) } == "jwt.claims")
        #expect(outcome { try Self.token(key: IDTokens.otherKey) } == "jwt.signingKey")
    }

    private static func presented(_ fields: String...) throws -> PresentedAccessToken {
        var request = HTTPRequest(method: .get, scheme: "https", authority: "api.example", path: "/")
        for field in fields { request.headerFields.append(HTTPField(name: .authorization, value: field)) }
        return try PresentedAccessToken(request)
    }

    private static func refusal<Value>(_ body: () throws -> Value) -> String {
        do {
            _ = try body()
            return "accepted"
        } catch {
            return (error as? AccessTokenError).map { "\($0.status) \($0.error ?? "none")" } ?? "\(error)"
        }
    }

    @Test(
        "Parses exactly one token from the Authorization field",
        .covers(120),
        arguments: [
            ("Bearer abc", "accepted"), ("bEaReR a-._~+/b==", "accepted"), ("DPoP abc", "accepted"),
            ("Bearer   abc ", "accepted"), ("", "401 none"), ("Basic abc", "401 none"), ("Bearerabc", "401 none"),
            ("Bearer", "400 invalid_request"), ("Bearer ", "400 invalid_request"),
            ("Bearer a b", "400 invalid_request"), ("Bearer =", "400 invalid_request"),
            ("Bearer a=b", "400 invalid_request"), ("Bearer a,b", "400 invalid_request"),
            ("Bearer \"a\"", "400 invalid_request"), ("Bearer \u{E9}", "400 invalid_request"),
        ]
    )
    func authorization(field: String, expected: String) {
        #expect(Self.refusal { try Self.presented(field) } == expected)
    }

    @Test("Rejects a request with no Authorization field or with two")
    func numberOfFields() throws {
        #expect(Self.refusal { try Self.presented() } == "401 none")
        #expect(Self.refusal { try Self.presented("Bearer a", "Bearer a") } == "400 invalid_request")
        let presented = try Self.presented("DPoP CANARY")
        #expect(presented.type == .dpop)
        #expect(presented.token == Secret("CANARY"))
        #expect(!"\(presented)".contains("CANARY"))
    }

    /// A token, its presentation, the thumbprints of the proof key and the certificate, and whether it is accepted.
    private typealias Confirmation = (JWTAccessToken, PresentedAccessToken, String?, String?, Bool)

    private static func confirmations() throws -> [Confirmation] {
        let (bearer, dPoP) = (try Self.presented("Bearer a"), try Self.presented("DPoP a"))
        let free = try Self.token()
        let key = try Self.token(["cnf": #"{"jkt":"k"}"#])
        let certificate = try Self.token(["cnf": #"{"x5t#S256":"c"}"#])
        let both = try Self.token(["cnf": #"{"jkt":"k","x5t#S256":"c"}"#])
        return [
            (free, bearer, nil, nil, true), (free, dPoP, "k", nil, false), (key, dPoP, "k", nil, true),
            (free, bearer, nil, "c", true), (key, dPoP, "x", nil, false), (key, dPoP, nil, nil, false),
            (key, bearer, "k", nil, false), (key, bearer, nil, nil, false), (certificate, bearer, nil, "c", true),
            (certificate, bearer, nil, nil, false), (certificate, bearer, nil, "x", false),
            (both, dPoP, "k", "c", true), (both, dPoP, "k", nil, false), (both, dPoP, nil, "c", false),
            (try Self.token(["cnf": #"{"jwk":{}}"#]), bearer, nil, nil, false),
            (try Self.token(["cnf": #"{"jkt":"k","x":1}"#]), dPoP, "k", nil, false),
            (try Self.token(["cnf": "{}"]), bearer, nil, nil, false),
        ]
    }

    @Test(
        "Accepts a bound token only with its key or certificate, never as a bearer token",
        .covers(104),
        arguments: try Self.confirmations()
    )
    func confirmation(
        token: JWTAccessToken,
        presented: PresentedAccessToken,
        thumbprint: String?,
        certificateThumbprint: String?,
        accepted: Bool
    ) throws {
        let result = Self.refusal {
            try token.confirm(
                presented,
                keyThumbprint: thumbprint,
                certificateThumbprint: certificateThumbprint
            )
        }
        #expect(result == (accepted ? "accepted" : "401 invalid_token"))
    }

    @Test("Creates a WWW-Authenticate challenge that a client can parse", .covers(121))
    func challenge() throws {
        let token = try Self.token()
        #expect(Self.refusal { try token.require(["read"]) } == "accepted")
        let missing = #expect(throws: AccessTokenError.self) { try token.require(["read", "admin"]) }
        #expect(missing?.status == 403)
        let metadata = try Endpoint("https://api.example/.well-known/oauth-protected-resource", name: "metadata")
        var response = HTTPResponse(status: .forbidden)
        response.headerFields[.wwwAuthenticate] = missing?.challenge(realm: "a\"b", resourceMetadata: metadata)
        let read = try #require(BearerChallengeError(response))
        #expect(read.isInsufficientScope)
        #expect(read.scope == ["read", "admin"])
        #expect(read.realm == "a?b")
        #expect(read.resourceMetadata == metadata.url)
        #expect(AccessTokenError.noToken.challenge() == "Bearer")
        #expect(AccessTokenError.noToken.challenge(scheme: "DPoP", realm: "r") == #"DPoP realm="r""#)
        let broken = try #require(throws: ProtocolViolationError.self) { try Self.token(["exp": "1"]) }
        let refusal = try #require(AccessTokenError(broken))
        #expect(
            refusal.challenge().contains(#"error="invalid_token", error_description="The token violates the rule jwt"#)
        )
    }
}
