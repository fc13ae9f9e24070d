// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("User information")
struct UserInfoTests {
    private static func request(_ subject: String? = "subject") throws -> UserInfoRequest {
        let endpoint = try Endpoint("https://as.example/userinfo?v=1", name: "userinfo_endpoint")
        return UserInfoRequest(Secret("CANARY"), at: endpoint, subject: subject)
    }

    private static func response(
        _ body: String,
        subject: String? = "subject",
        _ response: HTTPResponse = Example.json()
    ) throws -> UserInfoResponse {
        try self.request(subject).decode(response, body: Array(body.utf8))
    }

    /// Describes the result of decoding and validating a signed response.
    private static func signedOutcome(
        _ token: Secret,
        subject: String? = "subject",
        supported: String = "[\"ES256\"]"
    ) throws -> String {
        let keys = try IDTokens.keys([IDTokens.published()])
        let client = RegisteredClient(
            OAuthClient(clientID: "client", idTokenAlgorithms: [.es256]),
            metadata: try Example.metadata(["userinfo_signing_alg_values_supported": supported]),
            runtime: .testing(transport: ScriptedTransport([]))
        )
        let body = token.withUnredacted { Array($0.utf8) }
        let response = Example.json(type: "Application/JWT; charset=utf-8")
        guard case .signed(let token, let policy) = try self.request(subject).decode(response, body: body, for: client)
        else { return "plain" }
        return outcome { try policy.validate(token, keys: keys, now: IDTokens.now) }
    }

    @Test(
        "Rejects a response about another user or without a subject",
        .covers(98),
        arguments: [
            (#"{"sub":"subject","email":"a@b"}"#, "subject", "accepted"),
            (#"{"sub":"other"}"#, "subject", "userInfo.subject"),
            (#"{"sub":"Subject"}"#, "subject", "userInfo.subject"), (#"{"sub":""}"#, "subject", "userInfo.subject"),
            (#"{"email":"a@b"}"#, "subject", "userInfo.subject"), (#"{"sub":null}"#, "subject", "userInfo.subject"),
            (#"{"sub":5}"#, "subject", "userInfo.format"), (#"{"sub":"any"}"#, nil, "accepted"),
            (#"{"sub":""}"#, nil, "userInfo.subject"), (#"{}"#, nil, "userInfo.subject"),
            (#"{"sub":"subject","sub":"other"}"#, "subject", "userInfo.format"), ("[]", nil, "userInfo.format"),
            ("", nil, "userInfo.format"), ("<html>", nil, "userInfo.format"),
        ] as [(String, String?, String)]
    )
    func subject(body: String, subject: String?, expected: String) {
        #expect(outcome { try Self.response(body, subject: subject) } == expected)
    }

    @Test("Accepts a signed response only from the provider, for this client and about this user", .covers(98))
    func signed() throws {
        let user = ["exp": "", "iat": "", "nonce": ""]
        func changed(_ changes: [String: String]) throws -> Secret { try IDTokens.token(user.merging(changes) { $1 }) }
        #expect(try Self.signedOutcome(changed([:])) == "accepted")
        #expect(try Self.signedOutcome(IDTokens.token(user, type: "JWT")) == "accepted")
        #expect(try Self.signedOutcome(changed(["sub": "\"other\""])) == "userInfo.subject")
        #expect(try Self.signedOutcome(changed(["sub": ""])) == "userInfo.subject")
        #expect(try Self.signedOutcome(changed(["sub": ""]), subject: nil) == "userInfo.subject")
        #expect(try Self.signedOutcome(changed(["sub": "\"other\""]), subject: nil) == "accepted")
        #expect(try Self.signedOutcome(changed(["iss": "\"https://evil.example\""])) == "jwt.issuer")
        #expect(try Self.signedOutcome(changed(["iss": ""])) == "jwt.claims")
        #expect(try Self.signedOutcome(changed(["aud": "\"other\""])) == "jwt.audience")
        #expect(try Self.signedOutcome(changed(["aud": ""])) == "jwt.claims")
        #expect(try Self.signedOutcome(changed(["exp": "1600000000"])) == "jwt.time")
        #expect(try Self.signedOutcome(IDTokens.token(user, type: "logout+jwt")) == "jwt.type")
        #expect(try Self.signedOutcome(IDTokens.token(user, key: IDTokens.otherKey)) == "jwt.signingKey")
        #expect(try Self.signedOutcome(changed([:]), supported: "[\"RS256\"]") == "jws.algorithm")
        let claims = base64URL(#"{"sub":"subject","iss":"https://as.example","aud":"client"}"#)
        for (header, signature, expected) in [
            (#"{"alg":"none"}"#, "", "jws.algorithm"), (#"{"alg":"None"}"#, "", "jws.algorithm"),
            (#"{"alg":"HS256"}"#, "AAAA", "jws.algorithm"),
            (#"{"alg":"ES256"}"#, String(repeating: "A", count: 86), "jws.signature"),
        ] {
            let forged = Secret(base64URL(header) + "." + claims + "." + signature)
            #expect(try Self.signedOutcome(forged) == expected, "\(header)")
        }
        #expect(try Self.signedOutcome(Secret(#"{"sub":"subject"}"#)) == "jws.format")
    }

    @Test("Rejects a token in a JSON response and returns plain claims as unsigned", .covers(98))
    func contentType() throws {
        let token = base64URL(#"{"alg":"none"}"#) + "." + base64URL(#"{"sub":"subject"}"#) + "."
        #expect(outcome { try Self.response(token) } == "userInfo.format")
        guard case .plain(let claims) = try Self.response(#"{"sub":"subject","email":"a@b"}"#) else {
            Issue.record("not plain")
            return
        }
        #expect(claims["email"]?.string == "a@b")
    }

    @Test("Throws the resource's challenge for a rejected token and the status otherwise")
    func refusal() throws {
        var response = HTTPResponse(status: .unauthorized)
        response.headerFields[.wwwAuthenticate] = #"Bearer error="invalid_token""#
        let challenge = #expect(throws: BearerChallengeError.self) { try Self.response("", subject: nil, response) }
        #expect(challenge?.error == "invalid_token")
        #expect(challenge?.status == 401)
        for status: HTTPResponse.Status in [.unauthorized, .found, .internalServerError, .noContent] {
            #expect(
                outcome { try Self.response(#"{"sub":"subject"}"#, subject: nil, HTTPResponse(status: status)) }
                    == "HTTPStatusError \(status.code)"
            )
        }
    }

    @Test("Sends the access token only in the header", .covers(61))
    func request() throws {
        let message = try Self.request().message(client: Example.client)
        #expect(message.request.headerFields[.authorization] == "Bearer CANARY")
        #expect(RecordedRequest(head: message.request).url == "https://as.example/userinfo?v=1")
        #expect(message.body == nil)
        #expect(message.request.method == .get)
        #expect(message.request.headerFields[.authorization].map { _ in message.request.headerFields.count } == 2)
    }
}
