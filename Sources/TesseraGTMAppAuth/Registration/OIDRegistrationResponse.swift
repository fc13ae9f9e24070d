// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// What a provider answered to a registration.
///
/// `@unchecked`, as ``AppAuthValue`` says: each property is a `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 7591, section 3.2.1](https://www.rfc-editor.org/rfc/rfc7591.html#section-3.2.1)
open class OIDRegistrationResponse: AppAuthValue, @unchecked Sendable {
    /// What was asked.
    public let request: OIDRegistrationRequest
    /// `client_id`.
    public let clientID: String
    /// `client_id_issued_at`; nil where it was not said.
    public let clientIDIssuedAt: Date?
    /// `client_secret`; nil for a client without one.
    public let clientSecret: String?
    /// `client_secret_expires_at`; nil where the secret does not end.
    public let clientSecretExpiresAt: Date?
    /// `registration_access_token`: lets the registration be read and changed (RFC 7592).
    public let registrationAccessToken: String?
    /// `registration_client_uri`: where the registration can be read and changed (RFC 7592).
    public let registrationClientURI: URL?
    /// `token_endpoint_auth_method`; nil where it was not said.
    public let tokenEndpointAuthenticationMethod: String?
    private let additional: JSONParameters

    /// Takes the members of an answer.
    ///
    /// Nil without `client_id`, with a secret of which it is not said when it ends, or with only one of the two members by
    /// which a registration is managed (RFC 7591, section 3.2.1; RFC 7592, section 3).
    public init?(request: OIDRegistrationRequest, parameters: [String: Any]) {
        let members = JSONParameters(parameters)
        guard let clientID = members.text(OIDClientIDParam), !clientID.isEmpty else { return nil }
        self.request = request
        self.clientID = clientID
        self.clientIDIssuedAt = members.time(OIDClientIDIssuedAtParam)
        self.clientSecret = members.text(OIDClientSecretParam)
        let secretEnd = members.time(OIDClientSecretExpirestAtParam)
        // RFC 7591, section 3.2.1: 0 if it will not expire.
        self.clientSecretExpiresAt = secretEnd == Date(timeIntervalSince1970: 0) ? nil : secretEnd
        self.registrationAccessToken = members.text(OIDRegistrationAccessTokenParam)
        self.registrationClientURI = members.url(OIDRegistrationClientURIParam)
        self.tokenEndpointAuthenticationMethod = members.text(OIDTokenEndpointAuthenticationMethodParam)
        self.additional = members.others(than: [
            OIDClientIDParam, OIDClientIDIssuedAtParam, OIDClientSecretParam, OIDClientSecretExpirestAtParam,
            OIDRegistrationAccessTokenParam, OIDRegistrationClientURIParam, OIDTokenEndpointAuthenticationMethodParam,
        ])
        guard self.clientSecret == nil || secretEnd != nil,
            (self.registrationAccessToken == nil) == (self.registrationClientURI == nil)
        else {
            return nil
        }
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil where the request or the client is missing, or anything is of the wrong type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        self.clientIDIssuedAt = archive.date(OIDClientIDIssuedAtParam)
        self.clientSecret = archive.text(OIDClientSecretParam)
        self.clientSecretExpiresAt = archive.date(OIDClientSecretExpirestAtParam)
        self.registrationAccessToken = archive.text(OIDRegistrationAccessTokenParam)
        self.registrationClientURI = archive.url(OIDRegistrationClientURIParam)
        self.tokenEndpointAuthenticationMethod = archive.text(OIDTokenEndpointAuthenticationMethodParam)
        self.additional = archive.parameters("additionalParameters") ?? JSONParameters([])
        guard let request = archive.object("request", OIDRegistrationRequest.self),
            let clientID = archive.text(OIDClientIDParam), archive.isWhole
        else {
            return nil
        }
        self.request = request
        self.clientID = clientID
        super.init(coder: coder)
    }

    override open func encode(with coder: NSCoder) {
        coder.encode(members: [
            "request": self.request, OIDClientIDParam: self.clientID, OIDClientIDIssuedAtParam: self.clientIDIssuedAt,
            OIDClientSecretParam: self.clientSecret, OIDClientSecretExpirestAtParam: self.clientSecretExpiresAt,
            OIDRegistrationAccessTokenParam: self.registrationAccessToken,
            OIDRegistrationClientURIParam: self.registrationClientURI,
        ])
        let method = self.tokenEndpointAuthenticationMethod
        coder.encode(members: [
            OIDTokenEndpointAuthenticationMethodParam: method, "additionalParameters": self.additional,
        ])
    }

    /// The other members; empty where there were none.
    public var additionalParameters: [String: Any]? { self.additional.dictionary }

    override var facts: [(name: String, text: String?)] { [("client", self.clientID)] }
}
