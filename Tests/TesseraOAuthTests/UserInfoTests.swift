// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("User information")
struct UserInfoTests {
    private static func claims(
        _ body: String,
        subject: String? = "subject",
        _ response: HTTPResponse = Example.json()
    ) throws -> JSONValue {
        try UserInfoRequest(at: Endpoint("https://as.example/userinfo", name: "userinfo_endpoint"), subject: subject)
            .claims(response, body: Array(body.utf8))
    }

    @Test(
        "An answer about another person, or about nobody, is refused (98)",
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
        #expect(outcome { try Self.claims(body, subject: subject) } == expected)
    }

    @Test("A signed answer, which nobody asked for, is refused whatever its signature (98)")
    func signed() throws {
        let token = base64URL(#"{"alg":"none"}"#) + "." + base64URL(#"{"sub":"subject"}"#) + "."
        for type in ["application/jwt", "Application/JWT; x=y", "application/json"] {
            #expect(
                outcome { try Self.claims(token, subject: "subject", Example.json(type: type)) } == "userInfo.format"
            )
        }
        let body = #"{"sub":"subject"}"#
        #expect(
            outcome { try Self.claims(body, subject: "subject", Example.json(type: "application/jwt")) }
                == "userInfo.format"
        )
    }

    @Test("A refused token is the resource's challenge, anything else is a status")
    func refusal() throws {
        var response = HTTPResponse(status: .unauthorized)
        response.headerFields[.wwwAuthenticate] = #"Bearer error="invalid_token""#
        let challenge = #expect(throws: BearerChallenge.self) { try Self.claims("", subject: nil, response) }
        #expect(challenge?.error == "invalid_token" && challenge?.status == 401)
        for status: HTTPResponse.Status in [.unauthorized, .found, .internalServerError, .noContent] {
            #expect(
                outcome { try Self.claims(#"{"sub":"subject"}"#, subject: nil, HTTPResponse(status: status)) }
                    == "HTTPStatusError \(status.code)"
            )
        }
    }

    @Test("The token goes in the header and nowhere else (61)")
    func request() throws {
        let endpoint = try Endpoint("https://as.example/userinfo?v=1", name: "userinfo_endpoint")
        let message = UserInfoRequest(at: endpoint, subject: nil).message(accessToken: Secret("CANARY"))
        #expect(message.request.headerFields[.authorization] == "Bearer CANARY")
        #expect(RecordedRequest(head: message.request).url == "https://as.example/userinfo?v=1")
        #expect(message.body == nil && message.request.method == .get)
        #expect(message.request.headerFields[.authorization].map { _ in message.request.headerFields.count } == 2)
    }
}
