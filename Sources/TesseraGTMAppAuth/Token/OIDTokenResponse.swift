// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// A response of the token endpoint.
///
/// `@unchecked`, as ``AppAuthValue`` says: there is one `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 6749, section 5.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-5.1)
open class OIDTokenResponse: AppAuthValue, @unchecked Sendable {
    /// The request.
    public var request: OIDTokenRequest { self.required("request") }
    /// `access_token`.
    public var accessToken: String? { self["access_token"] }
    /// When the access token ends, by `expires_in`; nil where it was not said.
    public var accessTokenExpirationDate: Date? { self["expires_in"] }
    /// `token_type` as it came: compare it without regard to case (RFC 6749, section 7.1).
    public var tokenType: String? { self["token_type"] }
    /// `id_token`; it is not verified here.
    public var idToken: String? { self["id_token"] }
    /// `refresh_token`.
    public var refreshToken: String? { self["refresh_token"] }
    /// `scope`; nil if it is as requested.
    public var scope: String? { self["scope"] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates a response from the members that arrived at `receivedAt`.
    ///
    /// A member of another type than a text is ignored; `expires_in` may be a number or digits.
    public init(request: OIDTokenRequest, parameters: [String: Any], receivedAt: Date = Date()) {
        let members = JSONParameters(parameters)
        self.stored = Contents(Self.fields, response: members, to: request, receivedAt: receivedAt)
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil if the request is missing or anything is of the wrong type.
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

    /// The other members; empty where there were none.
    public var additionalParameters: [String: Any]? { self.others }

    /// Whether the token is of a type such as `Bearer`, compared without regard to case (RFC 6749, section 7.1).
    package func hasTokenType(_ type: String) -> Bool { self.tokenType?.lowercased() == type.lowercased() }

    override var facts: [(name: String, text: String?)] {
        [("client", self.request.clientID), ("token type", self.tokenType), ("scope", self.scope)]
    }
}
