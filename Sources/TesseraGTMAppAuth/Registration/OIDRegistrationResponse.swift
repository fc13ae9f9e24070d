// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// A provider's response to a registration.
///
/// `@unchecked`, as ``AppAuthValue`` says: there is one `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 7591, section 3.2.1](https://www.rfc-editor.org/rfc/rfc7591.html#section-3.2.1)
open class OIDRegistrationResponse: AppAuthValue, @unchecked Sendable {
    /// The request.
    public var request: OIDRegistrationRequest { self.required("request") }
    /// `client_id`.
    public var clientID: String { self.required(OIDClientIDParam) }
    /// `client_id_issued_at`; nil where it was not said.
    public var clientIDIssuedAt: Date? { self[OIDClientIDIssuedAtParam] }
    /// `client_secret`; nil for a client without one.
    public var clientSecret: String? { self[OIDClientSecretParam] }
    /// `client_secret_expires_at`; nil where the secret does not end.
    public var clientSecretExpiresAt: Date? { self[OIDClientSecretExpirestAtParam] }
    /// `registration_access_token`: lets the registration be read and changed (RFC 7592).
    public var registrationAccessToken: String? { self[OIDRegistrationAccessTokenParam] }
    /// `registration_client_uri`: where the registration can be read and changed (RFC 7592).
    public var registrationClientURI: URL? { self[OIDRegistrationClientURIParam] }
    /// `token_endpoint_auth_method`; nil where it was not said.
    public var tokenEndpointAuthenticationMethod: String? { self[OIDTokenEndpointAuthenticationMethodParam] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates a response from the members that a server sent.
    ///
    /// Nil without `client_id`, with a secret of which it is not said when it ends, or with only one of the two members by
    /// which a registration is managed (RFC 7591, section 3.2.1; RFC 7592, section 3).
    public init?(request: OIDRegistrationRequest, parameters: [String: Any]) {
        let members = JSONParameters(parameters)
        let secretEnd = members.time(OIDClientSecretExpirestAtParam)
        guard members.text(OIDClientIDParam)?.isEmpty == false,
            members.text(OIDClientSecretParam) == nil || secretEnd != nil,
            (members.text(OIDRegistrationAccessTokenParam) == nil)
                == (members.url(OIDRegistrationClientURIParam) == nil)
        else { return nil }
        // RFC 7591, section 3.2.1: 0 if it will not expire.
        let isEndless = secretEnd == Date(timeIntervalSince1970: 0)
        let lasting = isEndless ? members.others(than: [OIDClientSecretExpirestAtParam]) : members
        self.stored = Contents(Self.fields, response: lasting, to: request)
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil if the request or the client is missing, or anything is of the wrong type.
    public required init?(coder: NSCoder) {
        guard let contents = Contents(coder, Self.fields) else { return nil }
        self.stored = contents
        super.init(coder: coder)
    }

    private static let fields = Field.list(
        required: ["request": OIDRegistrationRequest.self, OIDClientIDParam: String.self],
        optional: [
            OIDClientIDIssuedAtParam: Date.self, OIDClientSecretParam: String.self,
            OIDClientSecretExpirestAtParam: Date.self, OIDRegistrationAccessTokenParam: String.self,
            OIDRegistrationClientURIParam: URL.self, OIDTokenEndpointAuthenticationMethodParam: String.self,
            "additionalParameters": JSONParameters.self,
        ]
    )

    /// The other members; empty where there were none.
    public var additionalParameters: [String: Any]? { self.others }

    override var facts: [(name: String, text: String?)] { [("client", self.clientID)] }
}
