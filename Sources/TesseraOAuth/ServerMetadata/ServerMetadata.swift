// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraJSON

/// An authorization server's metadata.
///
/// All endpoints are checked when the document is parsed. `signed_metadata` is neither verified nor used. Use
/// ``document`` to read members that have no property.
///
/// - SeeAlso: [RFC 8414, section 2](https://www.rfc-editor.org/rfc/rfc8414.html#section-2)
public struct ServerMetadata: Sendable, Hashable {
    /// The server's issuer identifier (`issuer`).
    public let issuer: Issuer
    /// `authorization_endpoint`.
    public let authorizationEndpoint: Endpoint?
    /// `token_endpoint`.
    public let tokenEndpoint: Endpoint?
    /// `jwks_uri`.
    public let jwksURI: Endpoint?
    /// `userinfo_endpoint`.
    public let userinfoEndpoint: Endpoint?
    /// `registration_endpoint` (RFC 7591).
    public let registrationEndpoint: Endpoint?
    /// `revocation_endpoint` (RFC 7009).
    public let revocationEndpoint: Endpoint?
    /// `introspection_endpoint` (RFC 7662).
    public let introspectionEndpoint: Endpoint?
    /// `device_authorization_endpoint` (RFC 8628).
    public let deviceAuthorizationEndpoint: Endpoint?
    /// `pushed_authorization_request_endpoint` (RFC 9126).
    public let pushedAuthorizationRequestEndpoint: Endpoint?
    /// `backchannel_authentication_endpoint` (CIBA).
    public let backchannelAuthenticationEndpoint: Endpoint?
    /// `end_session_endpoint` (OpenID Connect RP-Initiated Logout).
    public let endSessionEndpoint: Endpoint?
    /// `scopes_supported`, excluding values that are not valid scopes (RFC 6749, section 3.3).
    public let scopesSupported: [String]?
    /// `response_types_supported`.
    public let responseTypesSupported: [String]?
    /// `response_modes_supported`.
    public let responseModesSupported: [String]?
    /// `grant_types_supported`.
    public let grantTypesSupported: [String]?
    /// `acr_values_supported`.
    public let acrValuesSupported: [String]?
    /// `prompt_values_supported`.
    public let promptValuesSupported: [String]?
    /// `token_endpoint_auth_methods_supported`.
    public let tokenEndpointAuthMethodsSupported: [String]?
    /// `token_endpoint_auth_signing_alg_values_supported`.
    public let tokenEndpointAuthSigningAlgValuesSupported: [String]?
    /// `revocation_endpoint_auth_methods_supported`.
    public let revocationEndpointAuthMethodsSupported: [String]?
    /// `introspection_endpoint_auth_methods_supported`.
    public let introspectionEndpointAuthMethodsSupported: [String]?
    /// `code_challenge_methods_supported`.
    public let codeChallengeMethodsSupported: [String]?
    /// `id_token_signing_alg_values_supported`.
    public let idTokenSigningAlgValuesSupported: [String]?
    /// `userinfo_signing_alg_values_supported`.
    public let userinfoSigningAlgValuesSupported: [String]?
    /// `request_object_signing_alg_values_supported`.
    public let requestObjectSigningAlgValuesSupported: [String]?
    /// `authorization_signing_alg_values_supported` (JARM).
    public let authorizationSigningAlgValuesSupported: [String]?
    /// `introspection_signing_alg_values_supported` (RFC 9701).
    public let introspectionSigningAlgValuesSupported: [String]?
    /// `dpop_signing_alg_values_supported` (RFC 9449).
    public let dpopSigningAlgValuesSupported: [String]?
    /// `authorization_details_types_supported` (RFC 9396).
    public let authorizationDetailsTypesSupported: [String]?
    /// `backchannel_token_delivery_modes_supported` (CIBA).
    public let backchannelTokenDeliveryModesSupported: [String]?
    /// `authorization_response_iss_parameter_supported` (RFC 9207), or false if missing.
    public let authorizationResponseIssParameterSupported: Bool
    /// `require_pushed_authorization_requests` (RFC 9126), or false if missing.
    public let requirePushedAuthorizationRequests: Bool
    /// `require_signed_request_object` (RFC 9101), or false if missing.
    public let requireSignedRequestObject: Bool
    /// `tls_client_certificate_bound_access_tokens` (RFC 8705), or false if missing.
    public let tlsClientCertificateBoundAccessTokens: Bool
    /// The endpoints for clients that authenticate with a certificate (`mtls_endpoint_aliases`, RFC 8705).
    public let mtlsEndpointAliases: [String: Endpoint]
    /// The whole document, including members that have no property.
    public let document: JSONValue
    /// Whether the document is also valid without exceptions, which means that all of its URLs use https.
    let isValidWithoutExceptions: Bool

    /// Creates metadata from a JSON document.
    ///
    /// - Throws: `ProtocolViolationError` with `metadataFormat` if the document is not a JSON object or a member has
    ///   the wrong type, or `issuerForm` or `endpoint` if a URL is not valid.
    public init(parsing body: [UInt8], insecure: Insecure = []) throws {
        let fields = try JSONFields(parsing: body, rule: .metadataFormat, subject: "the metadata document")
        func endpoint(_ name: String) throws -> Endpoint? {
            guard let url = try fields.string(name) else { return nil }
            return try Endpoint(url, name: name, insecure: insecure)
        }
        self.issuer = try Issuer(try fields.requiredString("issuer"), insecure: insecure)
        self.authorizationEndpoint = try endpoint("authorization_endpoint")
        self.tokenEndpoint = try endpoint("token_endpoint")
        self.jwksURI = try endpoint("jwks_uri")
        self.userinfoEndpoint = try endpoint("userinfo_endpoint")
        self.registrationEndpoint = try endpoint("registration_endpoint")
        self.revocationEndpoint = try endpoint("revocation_endpoint")
        self.introspectionEndpoint = try endpoint("introspection_endpoint")
        self.deviceAuthorizationEndpoint = try endpoint("device_authorization_endpoint")
        self.pushedAuthorizationRequestEndpoint = try endpoint("pushed_authorization_request_endpoint")
        self.backchannelAuthenticationEndpoint = try endpoint("backchannel_authentication_endpoint")
        self.endSessionEndpoint = try endpoint("end_session_endpoint")
        self.scopesSupported = try fields.strings("scopes_supported")?.filter(ScopeList.isScopeToken)
        self.responseTypesSupported = try fields.strings("response_types_supported")
        self.responseModesSupported = try fields.strings("response_modes_supported")
        self.grantTypesSupported = try fields.strings("grant_types_supported")
        self.acrValuesSupported = try fields.strings("acr_values_supported")
        self.promptValuesSupported = try fields.strings("prompt_values_supported")
        self.tokenEndpointAuthMethodsSupported = try fields.strings("token_endpoint_auth_methods_supported")
        self.tokenEndpointAuthSigningAlgValuesSupported = try fields.strings(
            "token_endpoint_auth_signing_alg_values_supported"
        )
        self.revocationEndpointAuthMethodsSupported = try fields.strings("revocation_endpoint_auth_methods_supported")
        self.introspectionEndpointAuthMethodsSupported = try fields.strings(
            "introspection_endpoint_auth_methods_supported"
        )
        self.codeChallengeMethodsSupported = try fields.strings("code_challenge_methods_supported")
        self.idTokenSigningAlgValuesSupported = try fields.strings("id_token_signing_alg_values_supported")
        self.userinfoSigningAlgValuesSupported = try fields.strings("userinfo_signing_alg_values_supported")
        self.requestObjectSigningAlgValuesSupported = try fields.strings("request_object_signing_alg_values_supported")
        self.authorizationSigningAlgValuesSupported = try fields.strings("authorization_signing_alg_values_supported")
        self.introspectionSigningAlgValuesSupported = try fields.strings("introspection_signing_alg_values_supported")
        self.dpopSigningAlgValuesSupported = try fields.strings("dpop_signing_alg_values_supported")
        self.authorizationDetailsTypesSupported = try fields.strings("authorization_details_types_supported")
        self.backchannelTokenDeliveryModesSupported = try fields.strings("backchannel_token_delivery_modes_supported")
        self.authorizationResponseIssParameterSupported =
            try fields.bool("authorization_response_iss_parameter_supported") ?? false
        self.requirePushedAuthorizationRequests = try fields.bool("require_pushed_authorization_requests") ?? false
        self.requireSignedRequestObject = try fields.bool("require_signed_request_object") ?? false
        self.tlsClientCertificateBoundAccessTokens =
            try fields.bool("tls_client_certificate_bound_access_tokens") ?? false
        self.mtlsEndpointAliases = try Self.aliases(fields, insecure)
        self.document = fields.object
        self.isValidWithoutExceptions = insecure.isEmpty || (try? Self(parsing: body)) != nil
    }

    /// Returns the aliases, ignoring members that are not endpoints (RFC 8705, section 5).
    private static func aliases(_ fields: JSONFields, _ insecure: Insecure) throws -> [String:
        Endpoint]
    {
        guard let value = fields.present("mtls_endpoint_aliases") else { return [:] }
        guard let members = value.members else { throw fields.wrong("mtls_endpoint_aliases", "an object", value) }
        var aliases: [String: Endpoint] = [:]
        for (name, value) in members {
            guard name.hasSuffix("_endpoint"), let url = value.string else { continue }
            aliases[name] = try Endpoint(url, name: "mtls_endpoint_aliases.\(name)", insecure: insecure)
        }
        return aliases
    }

    /// Creates metadata from known values, for a provider that does not publish a document.
    public init(_ members: [(name: String, value: JSONNode)], insecure: Insecure = []) throws {
        let node = JSONNode.object(members.map { JSONMember(name: $0.name, value: $0.value) })
        try self.init(parsing: node.serialized(), insecure: insecure)
    }

    /// Returns an endpoint, or throws `missingMetadata` with the name of the missing member.
    public func require(_ endpoint: KeyPath<ServerMetadata, Endpoint?>, _ name: String) throws -> Endpoint {
        if let endpoint = self[keyPath: endpoint] { return endpoint }
        throw ProtocolViolationError(.missingMetadata, expected: "\(name) in the provider's metadata")
    }

    /// Returns whether the documents are equal.
    public static func == (left: Self, right: Self) -> Bool { left.document == right.document }
    /// Hashes the issuer.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.issuer) }
}
