// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// What a redirect brought.
///
/// That its state is the one that was sent is for whoever makes it to check.
///
/// `@unchecked`, as ``AppAuthValue`` says: each property is a `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 6749, section 4.1.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.2)
open class OIDAuthorizationResponse: AppAuthValue, @unchecked Sendable {
    /// What was asked.
    public let request: OIDAuthorizationRequest
    /// `code`; nil where none came, or several.
    public let authorizationCode: String?
    /// `state`; nil where none came, or several.
    public let state: String?
    /// `access_token`, with the response types that ask for one.
    public let accessToken: String?
    /// When the access token ends, by `expires_in`; nil where it was not said.
    public let accessTokenExpirationDate: Date?
    /// `token_type` as it came: compare it without regard to case (RFC 6749, section 7.1).
    public let tokenType: String?
    /// `id_token`, with the response types that ask for one; it is not verified here.
    public let idToken: String?
    /// `scope`; nil where it is what was asked for.
    public let scope: String?
    private let additional: JSONParameters

    /// Takes the parameters of a redirect that came at `receivedAt`.
    ///
    /// A parameter of another type than a text is as good as none; `expires_in` may be a number or digits.
    public init(request: OIDAuthorizationRequest, parameters: [String: Any], receivedAt: Date = Date()) {
        let members = JSONParameters(parameters)
        self.request = request
        self.authorizationCode = members.text("code")
        self.state = members.text("state")
        self.accessToken = members.text("access_token")
        self.accessTokenExpirationDate = members.seconds("expires_in").map { receivedAt.addingTimeInterval($0) }
        self.tokenType = members.text("token_type")
        self.idToken = members.text("id_token")
        self.scope = members.text("scope")
        self.additional = members.others(than: [
            "code", "state", "access_token", "expires_in", "token_type", "id_token", "scope",
        ])
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil where the request is missing or anything is of the wrong type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        self.authorizationCode = archive.text("code")
        self.state = archive.text("state")
        self.accessToken = archive.text("access_token")
        self.accessTokenExpirationDate = archive.date("expires_in")
        self.tokenType = archive.text("token_type")
        self.idToken = archive.text("id_token")
        self.scope = archive.text("scope")
        self.additional = archive.parameters("additionalParameters") ?? JSONParameters([])
        guard let request = archive.object("request", OIDAuthorizationRequest.self), archive.isWhole else {
            return nil
        }
        self.request = request
        super.init(coder: coder)
    }

    override open func encode(with coder: NSCoder) {
        coder.encode(members: [
            "request": self.request, "code": self.authorizationCode, "state": self.state,
            "access_token": self.accessToken, "expires_in": self.accessTokenExpirationDate,
            "token_type": self.tokenType, "id_token": self.idToken, "scope": self.scope,
            "additionalParameters": self.additional,
        ])
    }

    /// The other parameters; empty where there were none.
    public var additionalParameters: [String: Any]? { self.additional.dictionary }

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
