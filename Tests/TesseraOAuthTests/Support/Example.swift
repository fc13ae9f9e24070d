// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
@testable internal import TesseraOAuth
internal import TesseraTesting

/// An example provider and client, with the changes that a test needs.
enum Example {
    static let issuer = "https://as.example"
    static let redirectURI = "http://127.0.0.1:5000/callback"
    static let client = OAuthClient(clientID: "client")

    /// Returns the text of a JSON object.
    ///
    /// Values are JSON texts. An empty value removes the member.
    static func object(_ members: [String: String], _ changes: [String: String] = [:]) -> String {
        let remaining = members.merging(changes) { $1 }.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
        return "{" + remaining.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    static func document(_ changes: [String: String] = [:]) -> String {
        self.object(
            [
                "issuer": "\"https://as.example\"",
                "authorization_endpoint": "\"https://as.example/authorize\"",
                "token_endpoint": "\"https://as.example/token\"",
                "jwks_uri": "\"https://as.example/keys\"",
                "userinfo_endpoint": "\"https://as.example/userinfo\"",
                "revocation_endpoint": "\"https://as.example/revoke\"",
            ],
            changes
        )
    }

    static func registered(
        _ client: OAuthClient = Example.client,
        methods: [String]? = nil,
        runtime: OAuthRuntime = .testing(transport: ScriptedTransport([]))
    ) throws -> RegisteredClient {
        let supported = methods.map { "[" + $0.map { "\"\($0)\"" }.joined(separator: ",") + "]" } ?? ""
        return RegisteredClient(
            client,
            metadata: try self.metadata(["token_endpoint_auth_methods_supported": supported]),
            runtime: runtime
        )
    }

    static func metadata(_ changes: [String: String] = [:]) throws -> ServerMetadata {
        try ServerMetadata(parsing: Array(self.document(changes).utf8))
    }

    static func pending(
        _ metadata: ServerMetadata? = nil,
        scopes: [Scope] = [.openID],
        additionalParameters: [String: String] = [:],
        redirectURI: String = Example.redirectURI,
        runtime: OAuthRuntime = .testing(transport: ScriptedTransport([])),
        change: (inout AuthorizationRequest) -> Void = { _ in }
    ) throws -> PendingAuthorization {
        var request = AuthorizationRequest(
            redirectURI: try RedirectURI(redirectURI),
            scopes: scopes,
            additionalParameters: additionalParameters
        )
        change(&request)
        return try PendingAuthorization(
            request,
            metadata: try metadata ?? self.metadata(),
            client: self.client,
            runtime: runtime
        )
    }

    /// The body of a token response with the given changes.
    static func response(_ changes: [String: String] = [:]) -> String {
        self.object(["access_token": "\"token\"", "token_type": "\"Bearer\"", "expires_in": "3600"], changes)
    }

    static func json(_ status: HTTPResponse.Status = .ok, type: String? = "application/json") -> HTTPResponse {
        var response = HTTPResponse(status: status)
        response.headerFields[.contentType] = type
        return response
    }
}

extension PendingAuthorization {
    /// The parameters of the authorization URL, decoded independently of the code under test.
    var sent: [FormParameter] {
        let url = self.authorizationURL
        return url.firstIndex(of: "?").map { FormParameter.parse(String(url[url.index(after: $0)...])) } ?? []
    }

    /// Returns the values of the parameters with the given name.
    func sent(_ name: String) -> [String] { self.sent.filter { $0.name == name }.map(\.value) }

    /// Receives a redirect to the request's redirect URI.
    ///
    /// `STATE` in the query stands for the request's state.
    func response(_ query: String) throws -> AuthorizationResponse? {
        let state = self.sent("state").first ?? ""
        let redirect = self.request.redirectURI.uri + "?" + query.replacing("STATE", with: state)
        return try self.received(.redirect(redirect))
    }

    /// Receives a response synchronously, or returns nil if its signature must be verified first.
    func received(_ response: DeliveredResponse) throws -> AuthorizationResponse? {
        guard case .code(let code) = try self.claim(response) else { return nil }
        return AuthorizationResponse(code: code, idToken: nil, binding: self.draft.binding)
    }

    /// Describes the result of a redirect: `code`, the violated rule after `mismatch:`, or an error.
    func result(of query: String) -> String {
        let state = self.sent("state").first ?? ""
        let redirect = self.request.redirectURI.uri + "?" + query.replacing("STATE", with: state)
        return self.result(of: .redirect(redirect))
    }

    /// Describes the result of a response: `code`, the violated rule after `mismatch:`, or an error.
    func result(of response: DeliveredResponse) -> String {
        if let mismatch = self.mismatch(response) { return "mismatch: \(mismatch.rule)" }
        var result = ""
        let thrown = outcome { result = try self.received(response) == nil ? "unverified" : "code" }
        return result.isEmpty ? thrown : result
    }

    /// The response with a code.
    func code(_ code: String = "code") throws -> AuthorizationResponse? {
        try self.response("state=STATE&code=\(code)")
    }
}

extension PendingLogout {
    /// Describes the result of a response: `signed out`, the violated rule after `mismatch:`, or an error.
    func result(of response: DeliveredResponse) -> String {
        if let mismatch = self.mismatch(response) { return "mismatch: \(mismatch.rule)" }
        let thrown = outcome { try self.receive(response) }
        return thrown == "accepted" ? "signed out" : thrown
    }
}

extension OAuthMessage {
    /// The form parameters of the body, decoded independently of the code under test.
    var form: [FormParameter] { FormParameter.parse(String(decoding: self.body ?? [], as: UTF8.self)) }

    /// Returns the values of the parameters with the given name.
    func form(_ name: String) -> [String] { self.form.filter { $0.name == name }.map(\.value) }
}

extension EndpointRequest {
    /// Creates the message for a client at a server that supports the given authentication methods.
    func message(client: OAuthClient, supportedAuthenticationMethods methods: [String]? = nil) throws -> OAuthMessage {
        try self.message(for: try Example.registered(client, methods: methods))
    }

    /// Decodes a response for the example client.
    func decode(_ response: HTTPResponse, body: [UInt8]) throws -> Response {
        try self.decode(response, body: body, for: try Example.registered())
    }
}
