// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Revocation")
struct RevocationTests {
    private static func request() throws -> RevocationRequest {
        .refreshToken(Secret("r"), at: try Endpoint("https://as.example/revoke?x=1", name: "revocation_endpoint"))
    }

    @Test("Sends the token, its type hint and the client credentials in the body", .covers(122))
    func message() throws {
        let client = OAuthClient(clientID: "client", clientSecret: Secret("s"))
        let message = try Self.request().message(client: client, supportedAuthenticationMethods: ["client_secret_post"])
        #expect(message.form.map(\.name) == ["token", "token_type_hint", "client_id", "client_secret"])
        #expect(message.form("token") == ["r"])
        #expect(message.form("token_type_hint") == ["refresh_token"])
        #expect(RecordedRequest(head: message.request).url == "https://as.example/revoke?x=1")
        let endpoint = try Endpoint("https://as.example/revoke", name: "revocation_endpoint")
        let access = try RevocationRequest.accessToken(Secret("a"), at: endpoint).message(client: Example.client)
        #expect(access.form("token") == ["a"])
        #expect(access.form("token_type_hint") == ["access_token"])
    }

    @Test(
        "Accepts only status 200 as a successful revocation",
        .covers(122),
        arguments: [
            (200, "", "accepted"), (200, "<html>", "accepted"), (200, #"{"error":"x"}"#, "accepted"),
            (204, "", "HTTPStatusError 204"), (302, "", "HTTPStatusError 302"), (400, "", "HTTPStatusError 400"),
            (400, #"{"error":"unsupported_token_type"}"#, "OAuthError unsupported_token_type"),
            (401, #"{"error":"invalid_client"}"#, "OAuthError invalid_client"), (503, "", "HTTPStatusError 503"),
        ]
    )
    func decode(status: Int, body: String, expected: String) throws {
        let request = try Self.request()
        #expect(outcome { try request.decode(Example.json(.init(code: status)), body: Array(body.utf8)) } == expected)
    }

    @Test("Reports a 503 as transient with its Retry-After delay", .covers(122))
    func busy() throws {
        var response = Example.json(.serviceUnavailable)
        response.headerFields[.retryAfter] = "30"
        let request = try Self.request()
        let error = #expect(throws: HTTPStatusError.self) { try request.decode(response, body: []) }
        #expect(error == HTTPStatusError(status: 503, endpoint: "revocation endpoint", retryAfter: 30))
        #expect(error?.isTransient == true)
        #expect(error?.endsSession == false)
    }
}
