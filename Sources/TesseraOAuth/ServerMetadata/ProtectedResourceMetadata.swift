// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
public import TesseraJSON

/// A protected resource's metadata, including the authorization servers that it accepts tokens from.
///
/// `signed_metadata` is neither verified nor used. Use ``document`` to read members that have no property.
///
/// - SeeAlso: [RFC 9728, section 2](https://www.rfc-editor.org/rfc/rfc9728.html#section-2)
public struct ProtectedResourceMetadata: Sendable, Hashable {
    /// The URL of the resource that the metadata describes (`resource`).
    public let resource: String
    /// The accepted authorization servers (`authorization_servers`), in document order.
    public let authorizationServers: [Issuer]
    /// The URL of the resource's public keys (`jwks_uri`).
    public let jwksURI: Endpoint?
    /// The resource's scopes (`scopes_supported`), if listed.
    public let scopesSupported: [Scope]?
    /// The supported methods of sending a bearer token (`bearer_methods_supported`).
    public let bearerMethodsSupported: [String]?
    /// The resource's name to show to users (`resource_name`).
    public let resourceName: String?
    /// Whether the resource supports certificate-bound tokens (`tls_client_certificate_bound_access_tokens`).
    public let tlsClientCertificateBoundAccessTokens: Bool
    /// The supported types of authorization details (`authorization_details_types_supported`).
    public let authorizationDetailsTypesSupported: [String]?
    /// The algorithms accepted for DPoP proofs (`dpop_signing_alg_values_supported`).
    public let dpopSigningAlgValuesSupported: [String]?
    /// Whether the resource requires tokens that are bound to a DPoP key (`dpop_bound_access_tokens_required`).
    public let dpopBoundAccessTokensRequired: Bool
    /// The whole document, including members that have no property.
    public let document: JSONValue

    init(parsing body: [UInt8], insecure: Insecure) throws {
        let fields = try JSONFields(
            parsing: body,
            rule: .metadataFormat,
            section: "RFC 9728, section 2",
            subject: "the resource's metadata"
        )
        self.resource = try fields.requiredString("resource")
        var servers: [Issuer] = []
        for server in try fields.strings("authorization_servers") ?? [] {
            servers.append(try Issuer(server, insecure: insecure))
        }
        self.authorizationServers = servers
        let keys = "jwks_uri"
        self.jwksURI = try fields.string(keys)
            .map { try Endpoint($0, name: keys, insecure: insecure) }
        self.scopesSupported = try fields.scopeArray("scopes_supported")
        self.bearerMethodsSupported = try fields.strings("bearer_methods_supported")
        self.resourceName = try fields.string("resource_name")
        self.tlsClientCertificateBoundAccessTokens =
            try fields.bool("tls_client_certificate_bound_access_tokens") ?? false
        self.authorizationDetailsTypesSupported = try fields.strings("authorization_details_types_supported")
        self.dpopSigningAlgValuesSupported = try fields.strings("dpop_signing_alg_values_supported")
        self.dpopBoundAccessTokensRequired = try fields.bool("dpop_bound_access_tokens_required") ?? false
        self.document = fields.object
    }

    /// Checks that the resource lists a server and that the server does not exclude the resource.
    ///
    /// Request the server's metadata with its identifier from ``authorizationServers``. ``MetadataRequest`` rejects
    /// another issuer's document.
    ///
    /// - Throws: `ProtocolViolationError` with `authorizationServer` if the resource does not list the server, or if
    ///   the server's `protected_resources` does not include the resource.
    /// - SeeAlso: [RFC 9728, section 4](https://www.rfc-editor.org/rfc/rfc9728.html#section-4)
    public func check(_ server: ServerMetadata) throws {
        guard self.authorizationServers.contains(where: { $0.url.isExactly(server.issuer.url) }) else {
            throw ProtocolViolationError(
                .authorizationServer,
                expected: "an authorization server that the resource lists",
                actual: "\"\(server.issuer.url)\""
            )
        }
        guard let resources = server.document["protected_resources"]?.elements else { return }
        guard resources.contains(where: { $0.string?.isExactly(self.resource) ?? false }) else {
            throw ProtocolViolationError(
                .authorizationServer,
                expected: "the resource in the server's protected_resources",
                actual: "\(resources.count) others",
                section: "RFC 9728, section 4"
            )
        }
    }

    /// Returns whether the documents are equal.
    public static func == (left: Self, right: Self) -> Bool { left.document == right.document }
    /// Hashes the resource.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.resource) }
}

/// A request for a protected resource's metadata document.
///
/// - SeeAlso: [RFC 9728, section 3](https://www.rfc-editor.org/rfc/rfc9728.html#section-3)
public struct ProtectedResourceMetadataRequest: Sendable, Hashable {
    /// The URL of the resource, which the document must describe.
    public let resource: String
    let endpoint: Endpoint
    let insecure: Insecure

    /// Creates a request for the document at a resource's well-known URL.
    ///
    /// - Throws: `ProtocolViolationError` with `endpoint` if the resource is not an https URL or has a fragment.
    public init(of resource: String, insecure: Insecure = []) throws {
        let parts = try Endpoint(resource, name: "the resource", insecure: insecure).parts
        let path = parts.path == "/" ? "" : parts.path
        let url =
            "\(parts.scheme)://\(parts.authority ?? "")/.well-known/oauth-protected-resource\(path)"
            + (parts.query.map { "?" + $0 } ?? "")
        try self.init(resource, at: Endpoint(url, name: "the metadata URL", insecure: insecure), insecure)
    }

    /// Creates a request for the document that a challenge refers to, or returns nil if the challenge does not contain
    /// a URL.
    ///
    /// The document must have the same origin as `resource`, the URL of the rejected call. This prevents a challenge
    /// from directing requests to other servers.
    ///
    /// - Throws: `ProtocolViolationError` with `endpoint` if a URL does not use https, has a fragment, or has another
    ///   origin.
    /// - SeeAlso: [RFC 9728, sections 3.3 and 5.1](https://www.rfc-editor.org/rfc/rfc9728.html#section-5.1)
    public init?(_ challenge: BearerChallengeError, for resource: String, insecure: Insecure = []) throws {
        guard let url = challenge.resourceMetadata else { return nil }
        let parts = try Endpoint(resource, name: "the resource", insecure: insecure).parts
        let endpoint = try Endpoint(url, name: "resource_metadata", insecure: insecure)
        guard endpoint.parts.hasOrigin(parts) else {
            throw ProtocolViolationError(
                .endpoint,
                expected: "resource_metadata at the resource's origin",
                actual: endpoint.parts.host,
                section: "RFC 9728, sections 3.3 and 5.1"
            )
        }
        self.init(resource, at: endpoint, insecure)
    }

    private init(_ resource: String, at endpoint: Endpoint, _ insecure: Insecure) {
        self.resource = resource
        self.endpoint = endpoint
        self.insecure = insecure
    }

    /// The URL of the document.
    public var url: String { self.endpoint.url }

    /// Returns the message to send.
    public func message() -> OAuthMessage { .get(self.endpoint) }

    /// Decodes the response.
    ///
    /// - Throws: ``HTTPStatusError`` for any status except 200, or `ProtocolViolationError` with `metadataFormat`,
    ///   `issuerForm` or `endpoint` if the document does not conform to RFC 9728, or `resourceMatch` if it describes
    ///   another resource.
    public func metadata(status: Int, body: [UInt8]) throws -> ProtectedResourceMetadata {
        guard status == 200 else { throw HTTPStatusError(status: status, endpoint: "resource metadata endpoint") }
        let metadata = try ProtectedResourceMetadata(parsing: body, insecure: self.insecure)
        // RFC 9728, section 3.3: The resource in the document must be identical to the requested resource.
        guard metadata.resource.isExactly(self.resource) else {
            throw ProtocolViolationError(
                .resourceMatch,
                expected: "the resource \"\(self.resource)\"",
                actual: "\"\(metadata.resource)\""
            )
        }
        return metadata
    }
}

extension OAuthRuntime {
    /// Requests a protected resource's metadata.
    ///
    /// - Throws: Any error that ``ProtectedResourceMetadataRequest/metadata(status:body:)`` throws, ``TransportError``,
    ///   or `CancellationError`.
    public func send(_ request: ProtectedResourceMetadataRequest) async throws -> ProtectedResourceMetadata {
        try await self.observed(.resourceMetadata) {
            let (response, body) = try await self.exchange(request.message())
            return try request.metadata(status: Int(response.status.code), body: body)
        }
    }
}
