// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
public import TesseraJOSE

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
    public init(of resource: String, insecure: Insecure = []) throws(ProtocolViolationError) {
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
    public init?(
        _ challenge: BearerChallengeError,
        for resource: String,
        insecure: Insecure = []
    ) throws(ProtocolViolationError) {
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
                actual: "\"\(metadata.resource)\"",
                section: "RFC 9728, section 3.3"
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
