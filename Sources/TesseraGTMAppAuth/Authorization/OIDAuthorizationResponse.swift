// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// The response to an authorization request, as received in the redirect.
///
/// Code that creates a response must check that its state matches that of the request.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``AppAuthValue``. The only stored property is
/// a `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 6749, section 4.1.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.2)
open class OIDAuthorizationResponse: AppAuthValue, @unchecked Sendable {
    /// The request that produced this response.
    public var request: OIDAuthorizationRequest { self.required("request") }
    /// The authorization code (`code`), or nil if it is missing or occurs more than once.
    public var authorizationCode: String? { self["code"] }
    /// The state (`state`), or nil if it is missing or occurs more than once.
    public var state: String? { self["state"] }
    /// The access token (`access_token`), if the response type requests one.
    public var accessToken: String? { self["access_token"] }
    /// The expiration date of the access token, computed from `expires_in`.
    public var accessTokenExpirationDate: Date? { self["expires_in"] }
    /// The type of the access token (`token_type`).
    ///
    /// Compare it case-insensitively (RFC 6749, section 7.1).
    public var tokenType: String? { self["token_type"] }
    /// The ID token (`id_token`), if the response type requests one.
    ///
    /// This class does not verify it.
    public var idToken: String? { self["id_token"] }
    /// The granted scopes (`scope`), or nil if they are the same as the requested ones.
    public var scope: String? { self["scope"] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates a response from the parameters in a redirect that was received at `receivedAt`.
    ///
    /// Parameters must be strings, except that `expires_in` can be a number or a string of digits. Those of any other
    /// type are in ``additionalParameters``.
    public init(request: OIDAuthorizationRequest, parameters: [String: Any], receivedAt: Date = Date()) {
        let members = JSONParameters(parameters)
        self.stored = Contents(Self.fields, response: members, to: request, receivedAt: receivedAt)
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Decodes a response, or returns nil if the request is missing or a value has the wrong type.
    public required init?(coder: NSCoder) {
        guard let contents = Contents(coder, Self.fields) else { return nil }
        self.stored = contents
        super.init(coder: coder)
    }

    private static let fields = Field.list(
        required: ["request": OIDAuthorizationRequest.self],
        optional: [
            "code": String.self, "state": String.self, "access_token": String.self, "expires_in": Date.self,
            "token_type": String.self, "id_token": String.self, "scope": String.self,
            "additionalParameters": JSONParameters.self,
        ]
    )

    /// The parameters for which there is no property or that have the wrong type, which can be empty.
    public var additionalParameters: [String: Any]? { self.others }

    override var facts: [(name: String, text: String?)] { [("client", self.request.clientID), ("scope", self.scope)] }
}

extension OIDAuthorizationResponse {
    /// Returns the request that exchanges the code for tokens, or nil if there is no code.
    ///
    /// - SeeAlso: [RFC 6749, section 4.1.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.3)
    public func tokenExchangeRequest(
        withAdditionalParameters additionalParameters: [String: Any]? = nil,
        additionalHeaders: [String: Any]? = nil
    ) -> OIDTokenRequest? {
        guard let authorizationCode else { return nil }
        return OIDTokenRequest(
            configuration: self.request.configuration,
            grantType: OIDGrantTypeAuthorizationCode,
            authorizationCode: authorizationCode,
            redirectURL: self.request.redirectURL,
            clientID: self.request.clientID,
            clientSecret: self.request.clientSecret,
            codeVerifier: self.request.codeVerifier,
            additionalParameters: additionalParameters,
            additionalHeaders: TextParameters.texts(additionalHeaders)
        )
    }
}
