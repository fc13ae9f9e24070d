// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

@Suite("Dynamic client registration")
struct RegistrationTests {
    private static func endpoint() throws -> Endpoint {
        try Endpoint("https://as.example/register", name: "registration_endpoint")
    }

    private static func server() throws -> RegisteredClient {
        let url = "\"https://as.example/register\""
        return RegisteredClient(
            OAuthClient(clientID: ""),
            metadata: try Example.metadata(["registration_endpoint": url]),
            runtime: .testing(transport: ScriptedTransport([]))
        )
    }

    private static func request(token: String? = nil) throws -> RegistrationRequest {
        var metadata = ClientMetadata(clientName: "Café", redirectURIs: [try RedirectURI("http://127.0.0.1/")])
        metadata.grantTypes = ["authorization_code", "refresh_token"]
        metadata.scopes = [.openID, .email]
        metadata.softwareStatement = "a.b.c"
        metadata["x_custom"] = ["deep": true]
        return .register(metadata, at: try self.endpoint(), initialAccessToken: token.map { Secret($0) })
    }

    static let good = [
        "client_id": "\"new\"", "client_secret": "\"s3cret\"", "client_secret_expires_at": "1800000000",
        "client_id_issued_at": "1700000000", "registration_access_token": "\"manage\"",
        "registration_client_uri": "\"https://as.example/register/new\"", "client_name": "\"Caf\\u00e9\"",
        "redirect_uris": "[\"http://127.0.0.1/\"]", "token_endpoint_auth_method": "\"client_secret_post\"",
        "id_token_signed_response_alg": "\"ES256\"", "x_custom": "{\"deep\":true}",
    ]

    private static func register(
        _ changes: [String: String] = [:],
        status: HTTPResponse.Status = .created
    ) throws -> ClientRegistration {
        let body = Array(Example.object(self.good, changes).utf8)
        return try self.request().decode(Example.json(status), body: body, for: self.server())
    }

    @Test("Registers with a JSON POST request and an initial access token in the header", .covers(61))
    func message() throws {
        let message = try Self.request(token: "CANARY").message(for: Self.server())
        #expect(message.request.method == .post)
        #expect(message.request.headerFields[.contentType] == "application/json")
        #expect(message.request.headerFields[.authorization] == "Bearer CANARY")
        #expect(RecordedRequest(head: message.request).url == "https://as.example/register")
        let sent = try JSONValue(parsing: message.body ?? [])
        #expect(sent["client_name"]?.string == "Café")
        #expect(sent["redirect_uris"]?[0]?.string == "http://127.0.0.1/")
        #expect(sent["scope"]?.string == "openid email")
        #expect(sent["software_statement"]?.string == "a.b.c")
        #expect(sent["x_custom"]?["deep"]?.bool == true)
        #expect(sent["client_id"] == nil)
        #expect(try Self.request().message(for: Self.server()).request.headerFields[.authorization] == nil)
        var wrong = ClientMetadata()
        wrong["client_secret"] = "x"
        let request = RegistrationRequest.register(wrong, at: try Self.endpoint())
        #expect(outcome { try request.message(for: Self.server()) } == "InvalidRequestError client_secret")
    }

    @Test(
        "Creates a client from a 201 or 200 registration response",
        arguments: [HTTPResponse.Status.created, .ok]
    )
    func client(status: HTTPResponse.Status) throws {
        let registration = try Self.register(status: status)
        #expect(registration.clientID == "new")
        #expect(registration.clientSecret == Secret("s3cret"))
        #expect(registration.clientSecretExpiresAt == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(registration.metadata.clientName == "Café")
        #expect(registration.metadata["client_id"] == nil)
        let client = registration.client
        #expect(client.clientID == "new")
        #expect(client.authentication == .clientSecretPost)
        #expect(client.idTokenAlgorithms == [.es256])
        #expect(!"\(registration)".contains("s3cret"))
        #expect(!"\(registration)".contains("manage"))
    }

    @Test("Accepts a secret that does not expire, or no secret")
    func secrets() throws {
        #expect(try Self.register(["client_secret_expires_at": "0"]).clientSecretExpiresAt == nil)
        let withoutSecret = try Self.register(["client_secret": "", "client_secret_expires_at": ""])
        #expect(withoutSecret.clientSecret == nil)
        #expect(withoutSecret.client.clientSecret == nil)
    }

    @Test("Rejects a registration whose scope violates the syntax of RFC 6749", .covers(148))
    func scopeSyntax() {
        #expect(outcome { try Self.register(["scope": "\"openid email\""]) } == "accepted")
        #expect(outcome { try Self.register(["scope": "\"openid a\\u001b[2J\""]) } == "scope.form")
    }

    @Test("Accepts a secret without an expiration date only if the caller allows it")
    func secretExpiry() throws {
        let body = Array(Example.object(Self.good, ["client_secret_expires_at": ""]).utf8)
        var request = try Self.request()
        #expect(
            outcome { try request.decode(Example.json(.created), body: body, for: Self.server()) }
                == "registration.format"
        )
        request.requiresSecretExpiry = false
        let registration = try request.decode(Example.json(.created), body: body, for: Self.server())
        #expect(registration.clientSecret == Secret("s3cret"))
        #expect(registration.clientSecretExpiresAt == nil)
    }

    @Test(
        "Rejects an incomplete registration or one managed at another origin",
        .covers(123),
        arguments: [
            (["client_id": ""], "registration.format"), (["client_id": "\"\""], "registration.format"),
            (["client_id": "5"], "registration.format"), (["client_secret_expires_at": ""], "registration.format"),
            (["client_secret_expires_at": "\"0\""], "registration.format"),
            (["client_secret_expires_at": "-1"], "registration.format"),
            (["client_secret_expires_at": "1e300"], "registration.format"),
            (["client_secret": "\"\""], "registration.format"), (["client_secret": "[]"], "registration.format"),
            (["registration_access_token": ""], "registration.format"),
            (["registration_client_uri": ""], "registration.format"),
            (["registration_client_uri": "\"http://as.example/register/new\""], "metadata.endpoint"),
            (["registration_client_uri": "\"https://evil.example/register/new\""], "registration.format"),
            (["registration_client_uri": "\"https://as.example:8443/register/new\""], "registration.format"),
            (["registration_client_uri": "\"https://as.example.evil/register/new\""], "registration.format"),
            (["registration_client_uri": "\"javascript:alert(1)\""], "metadata.endpoint"),
            (["redirect_uris": "\"http://127.0.0.1/\""], "registration.format"),
            (["client_name": "[]"], "registration.format"),
            (["registration_client_uri": "\"https://AS.example:443/new\""], "accepted"),
            (["registration_client_uri": "", "registration_access_token": ""], "accepted"),
            (["client_name": "null"], "accepted"),
        ] as [([String: String], String)]
    )
    func hostile(changes: [String: String], expected: String) {
        #expect(outcome { try Self.register(changes) } == expected)
    }

    @Test(
        "Reports a failed registration as the server's error or the HTTP status",
        arguments: [
            (400, #"{"error":"invalid_redirect_uri"}"#, "OAuthError invalid_redirect_uri"),
            (400, "<html>", "HTTPStatusError 400"), (302, "", "HTTPStatusError 302"), (204, "", "HTTPStatusError 204"),
            (503, "", "HTTPStatusError 503"), (201, "[]", "registration.format"), (201, "", "registration.format"),
            (201, #"{"client_id":"a","client_id":"b"}"#, "registration.format"),
        ]
    )
    func refusal(status: Int, body: String, expected: String) throws {
        let request = try Self.request(token: "CANARY")
        let response = Example.json(.init(code: status))
        #expect(outcome { try request.decode(response, body: Array(body.utf8), for: Self.server()) } == expected)
        let echo = Array(#"{"error":"invalid_token","error_description":"CANARY is wrong"}"#.utf8)
        let error = #expect(throws: OAuthError.self) {
            try request.decode(Example.json(.unauthorized), body: echo, for: Self.server())
        }
        #expect(error?.serverDescription == "<redacted> is wrong")
    }

    @Test("Reads and updates a registration with its token and keeps omitted values")
    func management() throws {
        let registration = try Self.register()
        let read = try RegistrationRequest.read(registration)
        let readMessage = try read.message(for: Self.server())
        #expect(readMessage.request.method == .get)
        #expect(readMessage.body == nil)
        #expect(RecordedRequest(head: readMessage.request).url == "https://as.example/register/new")
        #expect(readMessage.request.headerFields[.authorization] == "Bearer manage")

        var metadata = registration.metadata
        metadata.clientName = "Other"
        metadata.redirectURIs = nil
        let update = try RegistrationRequest.update(registration, to: metadata)
        let message = try update.message(for: Self.server())
        #expect(message.request.method == .put)
        let sent = try JSONValue(parsing: message.body ?? [])
        #expect(sent["client_id"]?.string == "new")
        #expect(sent["client_name"]?.string == "Other")
        #expect(sent["x_custom"]?["deep"]?.bool == true)
        #expect(sent["redirect_uris"] == nil)
        for name in ["client_secret", "client_secret_expires_at", "registration_access_token", "client_id_issued_at"] {
            #expect(sent[name] == nil)
        }
        func changed(_ body: String, _ status: HTTPResponse.Status = .ok) throws -> ClientRegistration {
            try update.decode(Example.json(status), body: Array(body.utf8), for: Self.server())
        }
        let silent = try changed(#"{"client_id":"new","client_name":"Other"}"#)
        #expect(silent.clientSecret == Secret("s3cret"))
        #expect(silent.registrationAccessToken == Secret("manage"))
        #expect(silent.clientSecretExpiresAt == registration.clientSecretExpiresAt)
        // The document is what programs store.
        let document = JSONNode.parsed(silent.document).serialized()
        let stored = try ClientRegistration(stored: document, at: Self.server().metadata)
        #expect(stored.clientSecret == Secret("s3cret"))
        #expect(stored.registrationAccessToken == Secret("manage"))
        #expect(stored.clientSecretExpiresAt == registration.clientSecretExpiresAt)
        #expect(stored.metadata.clientName == "Other")
        let rotated = try changed(
            #"{"client_id":"new","client_secret":"t","client_secret_expires_at":0,"registration_access_token":"m2","#
                + #""registration_client_uri":"https://as.example/register/2"}"#
        )
        #expect(rotated.clientSecret == Secret("t"))
        #expect(rotated.clientSecretExpiresAt == nil)
        #expect(rotated.registrationAccessToken == Secret("m2"))
        #expect(rotated.registrationClientURI?.url == "https://as.example/register/2")
        #expect(outcome { try changed(#"{"client_id":"other"}"#) } == "registration.format")
        #expect(outcome { try changed(#"{"client_id":"new"}"#, .created) } == "HTTPStatusError 201")
    }

    @Test("Accepts 204 or 200 for a deletion, and requires a management URI")
    func deletion() throws {
        let deletion = try RegistrationDeletion(try Self.register())
        let message = deletion.message(for: try Self.server())
        #expect(message.request.method == .delete)
        #expect(message.body == nil)
        #expect(message.request.headerFields[.authorization] == "Bearer manage")
        for (status, expected) in [
            (204, "accepted"), (200, "accepted"), (202, "HTTPStatusError 202"), (302, "HTTPStatusError 302"),
            (405, "HTTPStatusError 405"),
        ] {
            let response = HTTPResponse(status: .init(code: status))
            #expect(outcome { try deletion.decode(response, body: [], for: Self.server()) } == expected)
        }
        var refused = HTTPResponse(status: .unauthorized)
        refused.headerFields[.wwwAuthenticate] = #"Bearer error="invalid_token""#
        #expect(outcome { try deletion.decode(refused, body: [], for: Self.server()) } == "BearerChallengeError")
        let unmanaged = try Self.register(["registration_client_uri": "", "registration_access_token": ""])
        #expect(outcome { try RegistrationDeletion(unmanaged) } == "InvalidRequestError registration_client_uri")
        #expect(outcome { try RegistrationRequest.read(unmanaged) } == "InvalidRequestError registration_client_uri")
    }

    @Test("Registers in one call if the server has a registration endpoint", .covers(10))
    func oneCall() async throws {
        let transport = ScriptedTransport([.json(Example.object(Self.good), status: .created)])
        let runtime = OAuthRuntime.testing(transport: transport)
        let url = "\"https://as.example/register\""
        let server = try Example.metadata(["registration_endpoint": url])
        let metadata = ClientMetadata(clientName: "Program")
        let registration = try await RegisteredClient.register(metadata, at: server, runtime: runtime)
        #expect(registration.clientID == "new")
        #expect(transport.requests.count == 1)
        #expect(transport.requests[0].head.headerFields[.authorization] == nil)
        let without = try Example.metadata()
        #expect(
            await eventualOutcome { try await RegisteredClient.register(metadata, at: without, runtime: runtime) }
                == "metadata.missing"
        )
    }
}
