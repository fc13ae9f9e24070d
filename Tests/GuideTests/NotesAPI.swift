// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraOAuth

// guide: protected-api
// imports: HTTPTypes TesseraJOSE TesseraOAuth
/// Accepts calls with an access token from an issuer.
struct NotesAPI {
    private let keys: KeySetCache
    private let policy: AccessTokenPolicy

    /// Fetches the issuer's metadata.
    ///
    /// The keys are fetched when the first call arrives.
    init(issuer: Issuer, audience: String, runtime: OAuthRuntime) async throws {
        let request = MetadataRequest(.openIDConnect, of: issuer)
        let (head, body) = try await runtime.exchange(try request.message())
        let metadata = try request.metadata(status: head.status.code, body: body)
        guard let endpoint = metadata.jwksURI else {
            throw InvalidRequestError("issuer", reason: "its metadata has no jwks_uri")
        }
        self.keys = KeySetCache(endpoint, runtime: runtime)
        self.policy = AccessTokenPolicy(issuer: issuer, audiences: [audience], algorithms: [.rs256, .es256])
    }

    /// Returns the verified token of a call that has all scopes.
    func authorize(_ request: HTTPRequest, scopes: [Scope]) async throws -> JWTAccessToken {
        let presented = try PresentedAccessToken(request)
        let token: JWTAccessToken
        do {
            token = try await self.keys.validate(presented.token, policy: self.policy)
        } catch let violation as ProtocolViolationError {
            if let error = AccessTokenError(violation) { throw error }
            throw violation
        }
        try token.confirm(presented)
        try token.require(scopes)
        return token
    }

    /// Returns the response for an error that `authorize` throws.
    static func response(to error: any Error) -> HTTPResponse {
        // The issuer could not be reached, or its keys are not valid. The call may succeed later.
        guard let error = error as? AccessTokenError else { return HTTPResponse(status: .serviceUnavailable) }
        var response = HTTPResponse(status: .init(code: error.status))
        response.headerFields[.wwwAuthenticate] = error.challenge(realm: "notes")
        return response
    }
}
// end

// guide: opaque-token-api
/// Accepts calls with an opaque access token from an issuer.
struct OpaqueTokenAPI {
    /// The client that this API authenticates with.
    let client: RegisteredClient
    let endpoint: Endpoint
    let audience: String

    /// Returns the properties of a call's token that has all scopes.
    func authorize(_ request: HTTPRequest, scopes: [Scope]) async throws -> Introspection {
        let presented = try PresentedAccessToken(request)
        let question = IntrospectionRequest(presented.token, hint: "access_token", at: self.endpoint)
        let token = try await self.client.send(question)
        try token.requireActive(for: [self.audience])
        try token.confirm(presented)
        try token.require(scopes)
        return token
    }
}
// end
