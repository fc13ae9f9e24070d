// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// What a redirect brought.
///
/// Its creator has to check that its state is the one that was sent.
///
/// `@unchecked`, as ``AppAuthValue`` says: there is one `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 6749, section 4.1.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.2)
open class OIDAuthorizationResponse: AppAuthValue, @unchecked Sendable {
    /// The request.
    public var request: OIDAuthorizationRequest { self.required("request") }
    /// `code`; nil where none came, or several.
    public var authorizationCode: String? { self["code"] }
    /// `state`; nil where none came, or several.
    public var state: String? { self["state"] }
    /// `access_token`, with the response types that ask for one.
    public var accessToken: String? { self["access_token"] }
    /// When the access token ends, by `expires_in`; nil where it was not said.
    public var accessTokenExpirationDate: Date? { self["expires_in"] }
    /// `token_type` as it came: compare it without regard to case (RFC 6749, section 7.1).
    public var tokenType: String? { self["token_type"] }
    /// `id_token`, with the response types that ask for one; it is not verified here.
    public var idToken: String? { self["id_token"] }
    /// `scope`; nil if it is as requested.
    public var scope: String? { self["scope"] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates a response from the parameters of a redirect that arrived at `receivedAt`.
    ///
    /// A parameter of another type than a text is ignored; `expires_in` may be a number or digits.
    public init(request: OIDAuthorizationRequest, parameters: [String: Any], receivedAt: Date = Date()) {
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
        required: ["request": OIDAuthorizationRequest.self],
        optional: [
            "code": String.self, "state": String.self, "access_token": String.self, "expires_in": Date.self,
            "token_type": String.self, "id_token": String.self, "scope": String.self,
            "additionalParameters": JSONParameters.self,
        ]
    )

    /// The other parameters; empty where there were none.
    public var additionalParameters: [String: Any]? { self.others }

    override var facts: [(name: String, text: String?)] { [("client", self.request.clientID), ("scope", self.scope)] }
}

extension OIDAuthorizationResponse {
    /// Returns the request that exchanges the code, with additional parameters and header fields, or nil without a code.
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
