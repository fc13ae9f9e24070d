// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

/// Somebody's calls to the APIs of a running provider.
struct LiveAPI {
    static let auth = "https://www.googleapis.com/auth/"

    let client: LiveClient
    let token: String

    /// Signs somebody in with scopes, whose common beginning can be left out.
    init(_ client: LiveClient, scope: String = "drive", as email: String = "ada@example.com") async throws {
        let scopes = scope.split(separator: " ").map { $0.contains("/") ? String($0) : Self.auth + $0 }
        self.client = client
        let tokens = try await client.signIn(scope: scopes.joined(separator: " "), as: email)
        self.token = try #require(tokens["access_token"]?.string)
    }

    /// Starts a provider and lets `body` use an API as Ada.
    static func with(
        _ options: LocalProviderOptions = LocalProviderTests.options(),
        scope: String = "drive",
        _ body: (LiveAPI) async throws -> Void
    ) async throws {
        try await LocalProviderTests.withProvider(options) { _, client in
            try await body(try await LiveAPI(client, scope: scope))
        }
    }

    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        _ body: String? = nil,
        type: String = "application/json"
    ) async throws -> LiveClient.Answer {
        var fields = HTTPFields()
        fields[.authorization] = "Bearer \(self.token)"
        if body != nil { fields[.contentType] = type }
        return try await self.client.send(method, path, fields, body: body)
    }

    /// The answer to a call that succeeds.
    func json(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async throws -> JSONValue {
        let answer = try await self.send(method, path, body)
        try #require(answer.status == .ok, "\(method) \(path): \(answer.text)")
        return try answer.json
    }

    /// Status and reason of a call that fails.
    func failure(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async throws -> String {
        let answer = try await self.send(method, path, body)
        let reason = try answer.json["error"]?["errors"]?.elements?.first?["reason"]?.string
        return "\(answer.status.code) \(reason ?? "")"
    }

    /// Creates a file of the Drive and returns its identifier.
    func create(_ metadata: String) async throws -> String {
        try #require(try await self.json(.post, "/drive/v3/files", metadata)["id"]?.string)
    }

    /// The names that a list of the Drive shows.
    func names(_ parameters: (String, String)...) async throws -> [String] {
        let list = try await self.json(.get, "/drive/v3/files?" + LiveClient.form(parameters))
        return list["files"]?.elements?.compactMap { $0["name"]?.string } ?? []
    }
}
#endif
