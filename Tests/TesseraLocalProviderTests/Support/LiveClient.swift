// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import HTTPTypes
internal import Testing
internal import TestTransport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraOAuth

/// An OAuth client and its user, talking to a running provider over HTTP.
struct LiveClient {
    struct Response {
        var status: HTTPResponse.Status
        var fields: HTTPFields
        var bytes: [UInt8]
        var text: String { String(decoding: self.bytes, as: UTF8.self) }
        var json: JSONValue { get throws { try JSONValue(parsing: self.bytes) } }
    }

    let provider: LocalProvider
    let transport: any HTTPTransport

    init(_ provider: LocalProvider, trusting files: [String] = []) {
        self.provider = provider
        self.transport = TestTransport.make(additionalTrustRoots: files)
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        host: String? = nil,
        _ fields: HTTPFields = HTTPFields(),
        body: String? = nil,
        content: HTTPBody? = nil
    ) async throws -> Response {
        let parts = self.provider.baseURL.split(separator: "://").map(String.init)
        var fields = fields
        if let host, let name = HTTPField.Name("Host") { fields[name] = host }
        let request = HTTPRequest(
            method: method,
            scheme: parts[0],
            authority: parts[1],
            path: path,
            headerFields: fields
        )
        let (response, received) = try await self.transport.send(request, body: content ?? body.map { HTTPBody($0) })
        let bytes = try await received.collect(upTo: 1 << 24)
        return Response(status: response.status, fields: response.headerFields, bytes: bytes)
    }

    func get(_ path: String, token: String? = nil) async throws -> Response {
        var fields = HTTPFields()
        fields[.authorization] = token.map { "Bearer \($0)" }
        return try await self.send(.get, path, fields)
    }

    func post(_ path: String, _ pairs: [(String, String)]) async throws -> Response {
        var fields = HTTPFields()
        fields[.contentType] = "application/x-www-form-urlencoded"
        return try await self.send(.post, path, fields, body: Self.form(pairs))
    }

    func refresh(_ token: String) async throws -> Response {
        try await self.post(
            "/token",
            [
                ("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", self.provider.clientID),
                ("client_secret", self.provider.clientSecret),
            ]
        )
    }

    /// Signs in as the user with `email`, exchanges the code, and returns the token response.
    func signIn(scope: String, as email: String = "ada@example.com") async throws -> JSONValue {
        let verifier = String(repeating: "v", count: 43)
        let redirectURI = "http://127.0.0.1:9/cb"
        let query = [
            ("client_id", self.provider.clientID), ("redirect_uri", redirectURI), ("response_type", "code"),
            ("scope", scope), ("state", "s"), ("login_hint", email),
            ("code_challenge", Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8))))),
            ("code_challenge_method", "S256"),
        ]
        let page = try await self.get("/o/oauth2/v2/auth?" + Self.form(query)).text
        let attempt = try #require(Self.values(page, "name=\"attempt\" value=\"").first)
        let scopes = Self.values(page, "name=\"scope\" value=\"").map { ("scope", $0) }
        let redirect = try await self.post(
            "/o/oauth2/v2/auth/consent",
            [("attempt", attempt), ("action", "allow")] + scopes
        )
        let location = try #require(redirect.fields[.location])
        let code = try #require(location.split(separator: "code=").last?.split(separator: "&").first.map(String.init))
        let response = try await self.post(
            "/token",
            [
                ("grant_type", "authorization_code"), ("redirect_uri", redirectURI), ("code_verifier", verifier),
                ("code", code.replacing("%2F", with: "/")), ("client_id", self.provider.clientID),
                ("client_secret", self.provider.clientSecret),
            ]
        )
        #expect(response.status == .ok)
        return try response.json
    }

    private static func values(_ text: String, _ opening: String) -> [String] {
        text.split(separator: opening).dropFirst().compactMap { $0.split(separator: "\"").first.map(String.init) }
    }

    static func form(_ pairs: [(String, String)]) -> String {
        pairs.map { "\(FormParameters.encode($0.0))=\(FormParameters.encode($0.1))" }.joined(separator: "&")
    }
}
#endif
