// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// A provider's response to a registration request.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``AppAuthValue``. The only stored property is
/// a `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 7591, section 3.2.1](https://www.rfc-editor.org/rfc/rfc7591.html#section-3.2.1)
open class OIDRegistrationResponse: AppAuthValue, @unchecked Sendable {
    /// The request that produced this response.
    public var request: OIDRegistrationRequest { self.required("request") }
    /// The client identifier (`client_id`), which is empty if the response has none.
    public var clientID: String { self[OIDClientIDParam] ?? "" }
    /// The date of the registration (`client_id_issued_at`).
    public var clientIDIssuedAt: Date? { self[OIDClientIDIssuedAtParam] }
    /// The client secret (`client_secret`), or nil for a public client.
    public var clientSecret: String? { self[OIDClientSecretParam] }
    /// The expiration date of the secret (`client_secret_expires_at`), or nil if it does not expire.
    public var clientSecretExpiresAt: Date? { self[OIDClientSecretExpirestAtParam] }
    /// The token for reading and changing the registration (`registration_access_token`, RFC 7592).
    public var registrationAccessToken: String? { self[OIDRegistrationAccessTokenParam] }
    /// The URL for reading and changing the registration (`registration_client_uri`, RFC 7592).
    public var registrationClientURI: URL? { self[OIDRegistrationClientURIParam] }
    /// The authentication method (`token_endpoint_auth_method`).
    public var tokenEndpointAuthenticationMethod: String? { self[OIDTokenEndpointAuthenticationMethodParam] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    /// Creates a response from the members that the provider sent.
    ///
    /// ``OIDAuthorizationService`` reports an error if a member is missing that RFC 7591, section 3.2.1, or RFC 7592,
    /// section 3, requires.
    public init(request: OIDRegistrationRequest, parameters: [String: Any]) {
        let members = JSONParameters(parameters)
        // RFC 7591, section 3.2.1: The value 0 means that the secret does not expire.
        let isEndless = members.time(OIDClientSecretExpirestAtParam) == Date(timeIntervalSince1970: 0)
        let lasting = isEndless ? members.others(than: [OIDClientSecretExpirestAtParam]) : members
        self.stored = Contents(Self.fields, response: lasting, to: request)
        super.init()
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Decodes a response, or returns nil if the request or client identifier is missing or a value has the wrong type.
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

    /// All other members, which can be empty.
    public var additionalParameters: [String: Any]? { self.others }

    override var facts: [(name: String, text: String?)] { [("client", self.clientID)] }
}
