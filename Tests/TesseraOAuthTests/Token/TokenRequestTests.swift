// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

@Suite("Token request")
struct TokenRequestTests {
    private static func exchange(_ client: OAuthClient, methods: [String]? = nil) throws -> OAuthMessage {
        try TokenRequest.authorizationCode(try #require(try Example.pending().code("code")))
            .message(client: client, supportedAuthenticationMethods: methods)
    }

    @Test(
        "Rejects a redirect from the token endpoint, even if it contains tokens",
        .covers(60),
        .shows(claims: 33),
        arguments: [301, 302, 303, 307, 308]
    )
    func redirect(_ status: Int) throws {
        let request = TokenRequest.authorizationCode(try #require(try Example.pending(scopes: []).code()))
        var response = Example.json(.init(code: status))
        response.headerFields[.location] = "https://evil.example/token"
        for body in [Example.response(), "", #"{"error":"invalid_grant"}"#] {
            #expect(outcome { try request.decode(response, body: Array(body.utf8)) } == "HTTPStatusError \(status)")
        }
    }

    @Test("No request of a session has a secret in its URL", .covers(61))
    func urls() throws {
        let canary = Secret("CANARY")
        let client = OAuthClient(clientID: "client", clientSecret: canary)
        let metadata = try Example.metadata()
        let pending = try Example.pending()
        let response = try #require(try pending.code("CANARY"))
        let endpoint = try metadata.require(\.tokenEndpoint, "token_endpoint")
        let messages = [
            try MetadataRequest(.openIDConnect, of: metadata.issuer).message(),
            try TokenRequest.authorizationCode(response).message(client: client),
            try TokenRequest.refresh(canary, at: endpoint).message(client: client),
            try RevocationRequest.refreshToken(canary, at: endpoint).message(client: client),
            try RevocationRequest.accessToken(canary, at: endpoint).message(client: client),
            try UserInfoRequest(canary, at: endpoint, subject: nil).message(client: client),
        ]
        let verifier = try #require(messages[1].form("code_verifier").first)
        for url in messages.map({ RecordedRequest(head: $0.request).url }) {
            #expect(!url.contains("CANARY"))
            #expect(!url.contains(verifier))
            #expect(!url.contains("?"))
        }
        for message in messages[1...4] {
            #expect(message.request.method == .post)
            #expect(message.request.headerFields[.contentType] == "application/x-www-form-urlencoded")
        }
        #expect(!pending.authorizationURL.contains("CANARY"))
        #expect(!pending.authorizationURL.contains(verifier))
    }

    @Test(
        "Authenticates the client with exactly one method",
        .covers(62),
        arguments: [
            (nil, ["client_secret_basic", "client_secret_post"], "header"), (nil, nil, "header"),
            (nil, ["client_secret_post"], "body"), (nil, ["private_key_jwt"], "header"), (nil, [], "header"),
            (ClientAuthentication.clientSecretPost, nil, "body"),
            (.clientSecretPost, ["client_secret_basic"], "body"),
            (.clientSecretBasic, ["client_secret_post"], "header"),
            (ClientAuthentication.publicClient, nil, "nothing"),
        ] as [(ClientAuthentication?, [String]?, String)]
    )
    func authentication(method: ClientAuthentication?, supported: [String]?, expected: String) throws {
        let client = OAuthClient(clientID: "client", clientSecret: Secret("secret"), authentication: method)
        let message = try Self.exchange(client, methods: supported)
        let isInHeader = message.request.headerFields[.authorization] != nil
        #expect(isInHeader == (expected == "header"))
        #expect(message.form("client_secret") == (expected == "body" ? ["secret"] : []))
        #expect(message.form("client_id") == (isInHeader ? [] : ["client"]))
    }

    @Test("A client without a secret sends only its client_id", .covers(62))
    func publicClient() throws {
        let message = try Self.exchange(OAuthClient(clientID: "client"), methods: ["client_secret_basic"])
        #expect(message.form("client_id") == ["client"])
        #expect(message.request.headerFields[.authorization] == nil)
    }

    @Test(
        "Rejects a secret-based method for a client without a secret",
        .covers(62),
        arguments: [ClientAuthentication.clientSecretBasic, .clientSecretPost]
    )
    func missingSecret(method: ClientAuthentication) {
        let client = OAuthClient(clientID: "client", authentication: method)
        #expect(outcome { try Self.exchange(client) } == "InvalidRequestError client_secret")
    }

    @Test(
        "HTTP Basic form-encodes the client ID and secret first",
        .covers(62),
        arguments: [
            ("client", "secret", "client:secret"), ("a:b", "c:d", "a%3Ab:c%3Ad"), ("a+b", "%", "a%2Bb:%25"),
            ("\u{E9}", " ", "%C3%A9:+"), ("client", "\r\nX: y", "client:%0D%0AX%3A+y"),
        ]
    )
    func basic(clientID: String, secret: String, credentials: String) throws {
        let client = OAuthClient(clientID: clientID, clientSecret: Secret(secret), authentication: .clientSecretBasic)
        let header = try #require(try Self.exchange(client).request.headerFields[.authorization])
        #expect(header.hasPrefix("Basic "))
        let decoded = try #require(Data(base64Encoded: String(header.dropFirst(6))))
        #expect(String(decoding: decoded, as: UTF8.self) == credentials)
    }

    @Test(
        "Exchanges a code with the redirect URI and verifier of its authorization request",
        .covers(63),
        .shows(claims: 12, 33)
    )
    func binding() throws {
        let pending = try Example.pending(redirectURI: "http://127.0.0.1:5000/call+back?x=%20")
        let state = try #require(pending.sent("state").first)
        let redirect = "http://127.0.0.1:5000/call+back?x=%20&code=c&state=\(state)"
        let response = try #require(try pending.received(.redirect(redirect)))
        let message = try TokenRequest.authorizationCode(response).message(client: Example.client)
        #expect(message.form("redirect_uri") == pending.sent("redirect_uri"))
        #expect(message.form("redirect_uri") == ["http://127.0.0.1:5000/call+back?x=%20"])
        #expect(message.form.map(\.name) == ["grant_type", "code", "redirect_uri", "code_verifier", "client_id"])
        #expect(RecordedRequest(head: message.request).url == "https://as.example/token")
    }

    @Test("A refresh request omits the scope parameter by default", .covers(63))
    func refresh() throws {
        let endpoint = try Endpoint("https://as.example/token?tenant=1", name: "token_endpoint")
        let message = try TokenRequest.refresh(Secret("r+1"), at: endpoint).message(client: Example.client)
        #expect(message.form.map(\.name) == ["grant_type", "refresh_token", "client_id"])
        #expect(message.form("refresh_token") == ["r+1"])
        #expect(RecordedRequest(head: message.request).url == "https://as.example/token?tenant=1")
    }
}
