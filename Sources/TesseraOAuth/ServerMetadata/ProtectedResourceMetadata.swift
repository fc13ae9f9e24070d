// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
public import TesseraJSON

/// What a protected resource says about itself: which authorization servers it takes tokens from, and how.
///
/// `signed_metadata` is not verified and not used; members that have no property are readable through ``document``.
///
/// - SeeAlso: [RFC 9728, section 2](https://www.rfc-editor.org/rfc/rfc9728.html#section-2)
public struct ProtectedResourceMetadata: Sendable, Hashable {
    /// `resource`: the URL that the document is about.
    public let resource: String
    /// `authorization_servers`, in the resource's order.
    public let authorizationServers: [Issuer]
    /// `jwks_uri`: keys of the resource itself.
    public let jwksURI: Endpoint?
    /// `scopes_supported`.
    public let scopesSupported: [Scope]?
    /// `bearer_methods_supported`.
    public let bearerMethodsSupported: [String]?
    /// `resource_name`: for people.
    public let resourceName: String?
    /// `tls_client_certificate_bound_access_tokens`, false where it is not said.
    public let tlsClientCertificateBoundAccessTokens: Bool
    /// `authorization_details_types_supported`.
    public let authorizationDetailsTypesSupported: [String]?
    /// `dpop_signing_alg_values_supported`.
    public let dpopSigningAlgValuesSupported: [String]?
    /// `dpop_bound_access_tokens_required`, false where it is not said.
    public let dpopBoundAccessTokensRequired: Bool
    /// The whole document.
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

    /// Checks that a server is one that the resource names, and that it does not deny the resource.
    ///
    /// Ask the server for its metadata by its name in ``authorizationServers``: a document of another issuer is refused
    /// there already.
    ///
    /// - Throws: `authorizationServer` for another server, and for one whose `protected_resources` leave this one out.
    /// - SeeAlso: [RFC 9728, section 4](https://www.rfc-editor.org/rfc/rfc9728.html#section-4)
    public func check(_ server: ServerMetadata) throws {
        guard self.authorizationServers.contains(where: { $0.url.isExactly(server.issuer.url) }) else {
            throw ProtocolViolationError(
                .authorizationServer,
                expected: "an authorization server that the resource names",
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

    /// Two metadata are equal when their documents are.
    public static func == (left: Self, right: Self) -> Bool { left.document == right.document }
    /// Hashes the resource.
    public func hash(into hasher: inout Hasher) { hasher.combine(self.resource) }
}

/// Asks a protected resource for its metadata document.
///
/// - SeeAlso: [RFC 9728, section 3](https://www.rfc-editor.org/rfc/rfc9728.html#section-3)
public struct ProtectedResourceMetadataRequest: Sendable, Hashable {
    /// The resource: the URL that the document has to be about.
    public let resource: String
    let endpoint: Endpoint
    let insecure: Insecure

    /// A request for the document at its well-known place, before the path and the query of the resource's URL.
    ///
    /// - Throws: `endpoint` for a resource that is no https URL, or has a fragment.
    public init(of resource: String, insecure: Insecure = []) throws {
        let parts = try Endpoint(resource, name: "the resource", insecure: insecure).parts
        let path = parts.path == "/" ? "" : parts.path
        let url =
            "\(parts.scheme)://\(parts.authority ?? "")/.well-known/oauth-protected-resource\(path)"
            + (parts.query.map { "?" + $0 } ?? "")
        try self.init(resource, at: Endpoint(url, name: "the metadata URL", insecure: insecure), insecure)
    }

    /// A request for the document that a challenge names, for the URL that was called; nil where it names none.
    ///
    /// The document has to lie at the origin of the resource: a challenge leads nowhere else.
    ///
    /// - Throws: `endpoint` for a URL that is not https, has a fragment, or is at another origin.
    /// - SeeAlso: [RFC 9728, sections 3.3 and 5.1](https://www.rfc-editor.org/rfc/rfc9728.html#section-5.1)
    public init?(_ challenge: BearerChallengeError, for resource: String, insecure: Insecure = []) throws {
        guard let url = challenge.resourceMetadata else { return nil }
        let parts = try Endpoint(resource, name: "the resource", insecure: insecure).parts
        let endpoint = try Endpoint(url, name: "resource_metadata", insecure: insecure)
        guard endpoint.parts.hasOrigin(parts) else {
            throw ProtocolViolationError(
                .endpoint,
                expected: "resource_metadata at the origin of the resource",
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

    /// The document's URL.
    public var url: String { self.endpoint.url }

    /// The request, ready to be sent.
    public func message() -> OAuthMessage { .get(self.endpoint) }

    /// Turns the answer into metadata.
    ///
    /// - Throws: ``HTTPStatusError`` for any status but 200; `metadataFormat`, `issuerForm`, `endpoint` for a document
    ///   that breaks RFC 9728, `resourceMatch` for one about another resource.
    public func metadata(status: Int, body: [UInt8]) throws -> ProtectedResourceMetadata {
        guard status == 200 else { throw HTTPStatusError(status: status, endpoint: "resource metadata") }
        let metadata = try ProtectedResourceMetadata(parsing: body, insecure: self.insecure)
        // RFC 9728, section 3.3: the resource MUST be identical to the one that was asked, or else nothing is used.
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
    /// Asks a protected resource for its metadata.
    ///
    /// - Throws: what ``ProtectedResourceMetadataRequest/metadata(status:body:)`` throws; ``TransportError``;
    ///   `CancellationError`.
    public func send(_ request: ProtectedResourceMetadataRequest) async throws -> ProtectedResourceMetadata {
        try await self.observed(.resourceMetadata) {
            let (response, body) = try await self.exchange(request.message())
            return try request.metadata(status: Int(response.status.code), body: body)
        }
    }
}
