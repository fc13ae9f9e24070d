// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE
public import TesseraJSON

/// What an authorization server says about itself.
///
/// Every endpoint was checked when the document was read. `signed_metadata` is not verified and not used; members that
/// have no property are readable through ``document``.
///
/// - SeeAlso: [RFC 8414, section 2](https://www.rfc-editor.org/rfc/rfc8414.html#section-2)
public struct ServerMetadata: Sendable, Hashable {
    /// `issuer`.
    public let issuer: Issuer
    /// `authorization_endpoint`.
    public let authorizationEndpoint: Endpoint?
    /// `token_endpoint`.
    public let tokenEndpoint: Endpoint?
    /// `jwks_uri`.
    public let jwksURI: Endpoint?
    /// `userinfo_endpoint`.
    public let userinfoEndpoint: Endpoint?
    /// `revocation_endpoint`.
    public let revocationEndpoint: Endpoint?
    /// `end_session_endpoint`.
    public let endSessionEndpoint: Endpoint?
    /// `scopes_supported`.
    public let scopesSupported: [String]?
    /// `response_modes_supported`.
    public let responseModesSupported: [String]?
    /// `token_endpoint_auth_methods_supported`.
    public let tokenEndpointAuthMethodsSupported: [String]?
    /// `code_challenge_methods_supported`.
    public let codeChallengeMethodsSupported: [String]?
    /// `id_token_signing_alg_values_supported`.
    public let idTokenSigningAlgValuesSupported: [String]?
    /// `authorization_response_iss_parameter_supported`, false where it is not said.
    public let authorizationResponseIssParameterSupported: Bool
    /// The whole document.
    public let document: JSONValue

    /// Reads a document.
    ///
    /// - Throws: `metadataFormat` for what is not a JSON object or has a member of another type, `issuerForm` and
    ///   `endpoint` for unusable URLs.
    public init(parsing body: [UInt8], insecure: Insecure = []) throws(ProtocolViolation) {
        let fields = try JSONFields(
            parsing: body,
            rule: .metadataFormat,
            section: "RFC 8414, section 3.2",
            subject: "the metadata document"
        )
        func endpoint(_ name: String) throws(ProtocolViolation) -> Endpoint? {
            guard let url = try fields.string(name) else { return nil }
            return try Endpoint(url, name: name, insecure: insecure)
        }
        self.issuer = try Issuer(try fields.requiredString("issuer"), insecure: insecure)
        self.authorizationEndpoint = try endpoint("authorization_endpoint")
        self.tokenEndpoint = try endpoint("token_endpoint")
        self.jwksURI = try endpoint("jwks_uri")
        self.userinfoEndpoint = try endpoint("userinfo_endpoint")
        self.revocationEndpoint = try endpoint("revocation_endpoint")
        self.endSessionEndpoint = try endpoint("end_session_endpoint")
        self.scopesSupported = try fields.strings("scopes_supported")
        self.responseModesSupported = try fields.strings("response_modes_supported")
        self.tokenEndpointAuthMethodsSupported = try fields.strings("token_endpoint_auth_methods_supported")
        self.codeChallengeMethodsSupported = try fields.strings("code_challenge_methods_supported")
        self.idTokenSigningAlgValuesSupported = try fields.strings("id_token_signing_alg_values_supported")
        self.authorizationResponseIssParameterSupported =
            try fields.bool("authorization_response_iss_parameter_supported") ?? false
        self.document = fields.object
    }

    /// Metadata that its author knows without asking: Google's, a provider's without a document.
    public init(_ members: [(name: String, value: JSONNode)], insecure: Insecure = []) throws(ProtocolViolation) {
        let node = JSONNode.object(members.map { JSONMember(name: $0.name, value: $0.value) })
        try self.init(parsing: node.serialized(), insecure: insecure)
    }

    /// An endpoint, or the error that names the missing member.
    public func require(
        _ endpoint: KeyPath<ServerMetadata, Endpoint?>,
        _ name: String
    ) throws(ProtocolViolation) -> Endpoint {
        if let endpoint = self[keyPath: endpoint] { return endpoint }
        throw ProtocolViolation(
            .missingMetadata,
            expected: "\(name) in the provider's metadata",
            section: "RFC 8414, section 2"
        )
    }

    /// Two metadata are equal when their documents are.
    public static func == (left: Self, right: Self) -> Bool { left.document == right.document }
    /// Hashes the issuer.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.issuer) }
}
