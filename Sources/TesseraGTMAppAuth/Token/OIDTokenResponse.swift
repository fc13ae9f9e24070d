// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// A response from the token endpoint.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``AppAuthValue``. The only stored property is
/// a `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 6749, section 5.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-5.1)
open class OIDTokenResponse: AppAuthValue, @unchecked Sendable {
    /// The request that produced this response.
    public var request: OIDTokenRequest { self.required("request") }
    /// The access token (`access_token`).
    public var accessToken: String? { self["access_token"] }
    /// The expiration date of the access token, computed from `expires_in`.
    public var accessTokenExpirationDate: Date? { self["expires_in"] }
    /// The type of the access token (`token_type`).
    ///
    /// Compare it case-insensitively (RFC 6749, section 7.1).
    public var tokenType: String? { self["token_type"] }
    /// The ID token (`id_token`).
    ///
    /// This class does not verify it.
    public var idToken: String? { self["id_token"] }
    /// The refresh token (`refresh_token`).
    public var refreshToken: String? { self["refresh_token"] }
    /// The granted scopes (`scope`), or nil if they are the same as the requested ones.
    public var scope: String? { self["scope"] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates a response from parameters received at `receivedAt`.
    ///
    /// Members must be strings, except that `expires_in` can be a number or a string of digits. Those of any other type
    /// are in ``additionalParameters``.
    public init(request: OIDTokenRequest, parameters: [String: Any], receivedAt: Date = Date()) {
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
        required: ["request": OIDTokenRequest.self],
        optional: [
            "access_token": String.self, "expires_in": Date.self, "token_type": String.self,
            "id_token": String.self, "refresh_token": String.self, "scope": String.self,
            "additionalParameters": JSONParameters.self,
        ]
    )

    /// The members for which there is no property or that have the wrong type, which can be empty.
    public var additionalParameters: [String: Any]? { self.others }

    /// Returns whether the token has the given type, compared case-insensitively (RFC 6749, section 7.1).
    package func hasTokenType(_ type: String) -> Bool { self.tokenType?.lowercased() == type.lowercased() }

    override var facts: [(name: String, text: String?)] {
        [("client", self.request.clientID), ("token type", self.tokenType), ("scope", self.scope)]
    }
}
