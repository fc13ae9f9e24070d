// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Grants without a redirect")
struct GrantTests {
    private static let client = OAuthClient(clientID: "client", clientSecret: Secret("secret"))

    private static func form(_ request: TokenRequest) throws -> [String] {
        let message = try request.message(client: Self.client, supportedAuthenticationMethods: nil)
        #expect(message.request.headerFields[.authorization] != nil)
        #expect(RecordedRequest(head: message.request).url == "https://as.example/token")
        return message.form.map { "\($0.name)=\($0.value)" }
    }

    @Test("A client credentials request sends the grant type, scopes and each resource")
    func clientCredentials() throws {
        var request = TokenRequest.clientCredentials(scopes: ["a", "b", "a"])
        request.resources = ["https://api.example/one", "urn:two"]
        #expect(
            try Self.form(request) == [
                "grant_type=client_credentials", "scope=a b", "resource=https://api.example/one", "resource=urn:two",
            ]
        )
        #expect(try Self.form(.clientCredentials()) == ["grant_type=client_credentials"])
    }

    @Test(
        "Rejects a resource that is not an absolute URI without a fragment",
        arguments: ["", "api", "/api", "https://api.example/#a", "https://a b/"]
    )
    func resources(_ resource: String) throws {
        var request = TokenRequest.clientCredentials()
        request.resources = [resource]
        #expect(outcome { try Self.form(request) } == "InvalidRequestError resource")
    }

    @Test("A refresh request can name fewer scopes")
    func narrower() throws {
        #expect(
            try Self.form(.refresh(Secret("r"), scopes: ["a"])) == [
                "grant_type=refresh_token", "refresh_token=r", "scope=a",
            ]
        )
        #expect(outcome { try Self.form(.refresh(Secret("r"), scopes: ["a b"])) } == "InvalidRequestError scope")
    }

    private static let exchange = TokenRequest.tokenExchange(
        subject: SecurityToken(Secret("s"), type: .accessToken),
        actor: SecurityToken(Secret("a"), type: .jwt),
        audiences: ["one", "two"],
        requestedType: .idToken,
        scopes: ["x"]
    )

    @Test("A token exchange request sends every parameter and repeats the audience parameter")
    func tokenExchange() throws {
        #expect(
            try Self.form(Self.exchange) == [
                "grant_type=urn:ietf:params:oauth:grant-type:token-exchange", "subject_token=s",
                "subject_token_type=urn:ietf:params:oauth:token-type:access_token", "actor_token=a",
                "actor_token_type=urn:ietf:params:oauth:token-type:jwt",
                "requested_token_type=urn:ietf:params:oauth:token-type:id_token", "audience=one", "audience=two",
                "scope=x",
            ]
        )
        let plain = TokenRequest.tokenExchange(subject: SecurityToken(Secret("s"), type: .saml2))
        #expect(try !Self.form(plain).contains { $0.hasPrefix("actor") || $0.hasPrefix("requested") })
    }

    @Test(
        "Only a token exchange requires issued_token_type and accepts the token type N_A",
        arguments: [
            (#""urn:ietf:params:oauth:token-type:id_token""#, #""N_A""#, "accepted", "token.type"),
            (#""urn:ietf:params:oauth:token-type:access_token""#, #""bearer""#, "accepted", "accepted"),
            ("", #""Bearer""#, "token.issuedTokenType", "accepted"),
            (#""""#, #""Bearer""#, "token.format", "token.format"), ("7", #""Bearer""#, "token.format", "token.format"),
            (#""x""#, #""mac""#, "token.type", "token.type"),
        ]
    )
    func issued(_ issued: String, _ type: String, _ exchange: String, _ other: String) throws {
        let body = Array(Example.response(["issued_token_type": issued, "token_type": type]).utf8)
        #expect(outcome { try Self.exchange.decode(Example.json(), body: body) } == exchange)
        #expect(outcome { try TokenRequest.clientCredentials().decode(Example.json(), body: body) } == other)
    }

    @Test("Returns the issued token type of a token exchange")
    func issuedType() throws {
        let members = ["issued_token_type": #""urn:ietf:params:oauth:token-type:id_token""#, "token_type": #""N_A""#]
        let tokens = try Self.exchange.decode(Example.json(), body: Array(Example.response(members).utf8))
        #expect(tokens.issuedTokenType == .idToken)
        #expect(tokens.tokenType == .notApplicable)
    }

    @Test("A JWT bearer request sends the assertion, with or without client authentication")
    func jwtBearer() throws {
        #expect(
            try Self.form(.jwtBearer(assertion: Secret("j"), scopes: ["a"])) == [
                "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion=j", "scope=a",
            ]
        )
        let unauthenticated = try TokenRequest.jwtBearer(assertion: Secret("j"), identifiesClient: false)
            .message(client: Self.client)
        #expect(unauthenticated.form.map(\.name) == ["grant_type", "assertion"])
        #expect(unauthenticated.request.headerFields[.authorization] == nil)
    }

    private static func assertion(_ change: (inout TokenAssertion) -> Void = { _ in }) throws -> JSONValue {
        var assertion = TokenAssertion(issuer: "robot@example", subject: "ada", audience: "https://as.example/token")
        change(&assertion)
        let runtime = OAuthRuntime.testing(transport: ScriptedTransport([]))
        let token = try assertion.signed(by: try IDTokens.key.get(), runtime: runtime)
        let jws = try CompactJWS(parsing: token.withUnredacted { $0 })
        let keys = try IDTokens.keys([try IDTokens.key.get().publicJWK])
        try jws.verify(with: try #require(keys.candidates(for: jws.header).first))
        return try jws.claims()
    }

    @Test("A signed assertion has an issuer, subject, audience, scope, times and unique ID")
    func tokenAssertion() throws {
        let claims = try Self.assertion { $0.scopes = ["a", "b"] }
        #expect(claims["iss"]?.string == "robot@example")
        #expect(claims["sub"]?.string == "ada")
        #expect(claims["aud"]?.string == "https://as.example/token")
        #expect(claims["scope"]?.string == "a b")
        #expect(try claims["iat"]?.integer(Int64.self) == 1_700_000_000)
        #expect(try claims["exp"]?.integer(Int64.self) == 1_700_003_600)
        #expect(claims["jti"]?.string?.isEmpty == false)
        let short = try Self.assertion {
            $0.subject = nil
            $0.lifetime = .seconds(30)
            $0.additionalClaims = [JSONMember(name: "target", value: "x")]
        }
        #expect(short["sub"] == nil)
        #expect(short["scope"] == nil)
        #expect(short["target"]?.string == "x")
        #expect(try short["exp"]?.integer(Int64.self) == 1_700_000_030)
    }

    @Test(
        "Rejects an assertion lifetime that is not positive or exceeds one hour",
        arguments: [0, -1, 3_601, Int64.max]
    )
    func wrongAssertions(seconds: Int64) throws {
        #expect(outcome { try Self.assertion { $0.lifetime = .seconds(seconds) } } == "InvalidRequestError exp")
    }

    @Test(
        "Rejects an additional claim that duplicates a standard claim",
        arguments: ["iss", "sub", "aud", "scope", "iat", "exp", "jti"]
    )
    func repeatedClaim(name: String) {
        let claim = JSONMember(name: name, value: "x")
        #expect(outcome { try Self.assertion { $0.additionalClaims = [claim] } } == "InvalidRequestError \(name)")
    }

    @Test("An extension grant sends custom parameters, including repeated ones")
    func extensionGrant() throws {
        let request = try TokenRequest.extensionGrant(
            "https://as.example/grants/voucher",
            parameters: ["voucher": "v", "part": "1", "part": "2"],
            scopes: ["a"]
        )
        #expect(
            try Self.form(request) == [
                "grant_type=https://as.example/grants/voucher", "voucher=v", "part=1", "part=2", "scope=a",
            ]
        )
        #expect(
            outcome { try TokenRequest.extensionGrant("voucher", parameters: [:]) } == "InvalidRequestError grant_type"
        )
    }

    @Test(
        "Rejects extension grant parameters that the request sets itself",
        .covers(62),
        arguments: [
            "grant_type", "client_id", "client_secret", "client_assertion", "client_assertion_type", "scope",
            "resource",
        ]
    )
    func reserved(_ name: String) {
        #expect(
            outcome { try TokenRequest.extensionGrant("urn:x", parameters: ["a": "b", name: "x"]) }
                == "InvalidRequestError \(name)"
        )
    }
}
