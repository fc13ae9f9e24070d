// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE

/// Asks a provider for its metadata document.
///
/// - SeeAlso: [RFC 8414, section 3.1](https://www.rfc-editor.org/rfc/rfc8414.html#section-3.1)
public struct MetadataRequest: Sendable, Hashable {
    /// Which of the two well-known documents.
    public enum Document: Sendable, Hashable {
        /// `/.well-known/openid-configuration` after the issuer's path (OpenID Connect Discovery 1.0, section 4).
        case openIDConnect
        /// `/.well-known/oauth-authorization-server` before the issuer's path (RFC 8414, section 3.1).
        case authorizationServer
    }

    /// Whose metadata.
    public let issuer: Issuer
    /// Which document.
    public let document: Document
    let insecure: Insecure

    /// A request for a document.
    public init(_ document: Document, of issuer: Issuer, insecure: Insecure = []) {
        self.issuer = issuer
        self.document = document
        self.insecure = insecure
    }

    /// The document's URL.
    public var url: String {
        let parts = self.issuer.parts
        let origin = "\(parts.scheme)://\(parts.authority ?? "")"
        let path = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
        return switch self.document {
        case .openIDConnect: origin + path + "/.well-known/openid-configuration"
        case .authorizationServer: origin + "/.well-known/oauth-authorization-server" + path
        }
    }

    /// The request, ready to be sent.
    public func message() throws -> OAuthMessage {
        .get(try Endpoint(self.url, name: "the metadata URL", insecure: self.insecure))
    }

    /// Turns the answer into metadata.
    ///
    /// - Throws: ``HTTPStatusError`` for any status but 200; `ProtocolViolationError` `metadataFormat`, `issuerMatch`,
    ///   `endpoint` for a document that breaks RFC 8414.
    public func metadata(status: Int, body: [UInt8]) throws -> ServerMetadata {
        guard status == 200 else { throw HTTPStatusError(status: status, endpoint: "metadata endpoint") }
        let metadata = try ServerMetadata(parsing: body, insecure: self.insecure)
        // RFC 8414, section 3.3: the issuer returned MUST be identical to the one that the URL was made of.
        guard metadata.issuer.url == self.issuer.url else {
            throw ProtocolViolationError(
                .issuerMatch,
                expected: "the issuer \"\(self.issuer.url)\"",
                actual: "\"\(metadata.issuer.url)\""
            )
        }
        return metadata
    }
}
