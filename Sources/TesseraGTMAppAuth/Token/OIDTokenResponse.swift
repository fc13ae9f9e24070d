// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// What the token endpoint answered.
///
/// `@unchecked`, as ``AppAuthValue`` says: each property is a `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 6749, section 5.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-5.1)
open class OIDTokenResponse: AppAuthValue, @unchecked Sendable {
    /// What was asked.
    public let request: OIDTokenRequest
    /// `access_token`.
    public let accessToken: String?
    /// When the access token ends, by `expires_in`; nil where it was not said.
    public let accessTokenExpirationDate: Date?
    /// `token_type` as it came: compare it without regard to case (RFC 6749, section 7.1).
    public let tokenType: String?
    /// `id_token`; it is not verified here.
    public let idToken: String?
    /// `refresh_token`.
    public let refreshToken: String?
    /// `scope`; nil where it is what was asked for.
    public let scope: String?
    private let additional: JSONParameters

    /// Takes the members of an answer that came at `receivedAt`.
    ///
    /// A member of another type than a text is as good as none; `expires_in` may be a number or digits.
    public init(request: OIDTokenRequest, parameters: [String: Any], receivedAt: Date = Date()) {
        let members = JSONParameters(parameters)
        self.request = request
        self.accessToken = members.text("access_token")
        self.accessTokenExpirationDate = members.seconds("expires_in").map { receivedAt.addingTimeInterval($0) }
        self.tokenType = members.text("token_type")
        self.idToken = members.text("id_token")
        self.refreshToken = members.text("refresh_token")
        self.scope = members.text("scope")
        self.additional = members.others(than: [
            "access_token", "expires_in", "token_type", "id_token", "refresh_token", "scope",
        ])
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil where the request is missing or anything is of the wrong type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        self.accessToken = archive.text("access_token")
        self.accessTokenExpirationDate = archive.date("expires_in")
        self.tokenType = archive.text("token_type")
        self.idToken = archive.text("id_token")
        self.refreshToken = archive.text("refresh_token")
        self.scope = archive.text("scope")
        self.additional = archive.parameters("additionalParameters") ?? JSONParameters([])
        guard let request = archive.object("request", OIDTokenRequest.self), archive.isWhole else { return nil }
        self.request = request
        super.init(coder: coder)
    }

    override open func encode(with coder: NSCoder) {
        coder.encode(members: [
            "request": self.request, "access_token": self.accessToken, "expires_in": self.accessTokenExpirationDate,
            "token_type": self.tokenType, "id_token": self.idToken, "refresh_token": self.refreshToken,
            "scope": self.scope, "additionalParameters": self.additional,
        ])
    }

    /// The other members; empty where there were none.
    public var additionalParameters: [String: Any]? { self.additional.dictionary }

    /// Whether the token is of a type such as `Bearer`, compared without regard to case (RFC 6749, section 7.1).
    package func hasTokenType(_ type: String) -> Bool { self.tokenType?.lowercased() == type.lowercased() }

    override var facts: [(name: String, text: String?)] {
        [("client", self.request.clientID), ("token type", self.tokenType), ("scope", self.scope)]
    }
}
