// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

/// A client of a running provider's APIs for one user.
struct LiveAPI {
    static let auth = "https://www.googleapis.com/auth/"

    let client: LiveClient
    let token: String

    /// Signs in a user.
    ///
    /// Scopes without a slash get the common prefix of Google's scopes.
    init(_ client: LiveClient, scope: String = "drive", as email: String = "ada@example.com") async throws {
        let scopes = scope.split(separator: " ").map { $0.contains("/") ? String($0) : Self.auth + $0 }
        self.client = client
        let tokens = try await client.signIn(scope: scopes.joined(separator: " "), as: email)
        self.token = try #require(tokens["access_token"]?.string)
    }

    /// Starts a provider and runs `body` with an API client for Ada.
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
    ) async throws -> LiveClient.Response {
        var fields = HTTPFields()
        fields[.authorization] = "Bearer \(self.token)"
        if body != nil { fields[.contentType] = type }
        return try await self.client.send(method, path, fields, body: body)
    }

    /// Sends a request that must succeed and returns its JSON response.
    func json(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async throws -> JSONValue {
        let response = try await self.send(method, path, body)
        try #require(response.status == .ok, "\(method) \(path): \(response.text)")
        return try response.json
    }

    /// Sends a request and returns the status and reason of its failure.
    func failure(_ method: HTTPRequest.Method, _ path: String, _ body: String? = nil) async throws -> String {
        let response = try await self.send(method, path, body)
        let reason = try response.json["error"]?["errors"]?.elements?.first?["reason"]?.string
        return "\(response.status.code) \(reason ?? "")"
    }

    /// Creates a Drive file and returns its ID.
    func create(_ metadata: String) async throws -> String {
        try #require(try await self.json(.post, "/drive/v3/files", metadata)["id"]?.string)
    }

    /// Returns the names of the files in a Drive list.
    func names(_ parameters: (String, String)...) async throws -> [String] {
        let list = try await self.json(.get, "/drive/v3/files?" + LiveClient.form(parameters))
        return list["files"]?.elements?.compactMap { $0["name"]?.string } ?? []
    }
}
#endif
