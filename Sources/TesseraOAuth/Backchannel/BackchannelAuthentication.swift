// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraJSON

/// A question that the provider is asking a person: what its answer is polled for with.
///
/// - SeeAlso: [OpenID Connect CIBA Core 1.0, section 7.3](https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html#successful_authentication_request_acknowdlegment)
public struct BackchannelAuthentication: Sendable {
    /// `auth_req_id`.
    public let authenticationRequestID: Secret
    /// `expires_in`: how long the person has, in seconds, from the answer on.
    public var expiresIn: Int64 { self.grant.expiresIn }
    /// `interval`: how long to wait between two questions, in seconds; 5 where the provider does not say, at least 1.
    public var interval: Int64 { self.grant.interval }
    /// The whole answer, for members that have no property.
    public let document: JSONValue
    package let grant: PendingGrant

    init(_ fields: JSONFields, uptime: Int64) throws(ProtocolViolationError) {
        let authenticationRequestID = Secret(try fields.requiredString("auth_req_id"))
        self.authenticationRequestID = authenticationRequestID
        self.document = fields.object
        self.grant = try PendingGrant(
            fields,
            request: .backchannelAuthentication(authenticationRequestID),
            uptime: uptime
        )
    }
}

extension TokenRequest {
    /// Asks once whether the person has decided; ``RegisteredClient/tokens(for:)-(BackchannelAuthentication)`` asks until
    /// then.
    ///
    /// An answer without an ID token is refused.
    ///
    /// - Parameters:
    ///   - authenticationRequestID: the `auth_req_id`.
    ///   - tokenEndpoint: where, nil for the endpoint of the metadata.
    /// - Returns: the request.
    /// - SeeAlso: [OpenID Connect CIBA Core 1.0, section 10.1](https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html#token_request)
    public static func backchannelAuthentication(
        _ authenticationRequestID: Secret,
        at tokenEndpoint: Endpoint? = nil
    ) -> TokenRequest {
        TokenRequest(
            "urn:openid:params:grant-type:ciba",
            ["auth_req_id": authenticationRequestID],
            at: tokenEndpoint,
            expectation: TokenExpectation(idTokenRequired: true)
        )
    }
}

extension RegisteredClient {
    /// Asks until the person has decided, never faster than the provider allows.
    ///
    /// The ID token among the tokens is not validated yet: set
    /// ``IDTokenPolicy/authenticationRequestID`` when you do. Failures and cancellation are as for the device grant:
    /// ``tokens(for:)-(DeviceAuthorization)``.
    ///
    /// - Throws: ``OAuthError`` `access_denied` for a no; `expired_token` at the end of the lifetime, whatever the
    ///   provider says then; any other error of the token endpoint; `CancellationError`.
    /// - SeeAlso: [OpenID Connect CIBA Core 1.0, section 10.1](https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html#token_request)
    public func tokens(for authentication: BackchannelAuthentication) async throws -> TokenResponse {
        try await self.decision(on: authentication.grant)
    }
}
