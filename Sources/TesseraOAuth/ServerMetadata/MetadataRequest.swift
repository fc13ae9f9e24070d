// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE

/// A request for a provider's metadata document.
///
/// - SeeAlso: [RFC 8414, section 3.1](https://www.rfc-editor.org/rfc/rfc8414.html#section-3.1)
public struct MetadataRequest: Sendable, Hashable {
    /// A provider's well-known metadata documents.
    public enum Document: Sendable, Hashable {
        /// The document at `/.well-known/openid-configuration` after the issuer's path (OpenID Connect Discovery 1.0,
        /// section 4).
        case openIDConnect
        /// The document at `/.well-known/oauth-authorization-server` before the issuer's path (RFC 8414, section 3.1).
        case authorizationServer
    }

    /// The issuer that the metadata describes.
    public let issuer: Issuer
    /// The requested document.
    public let document: Document
    let insecure: Insecure

    /// Creates a request for one of an issuer's documents.
    public init(_ document: Document, of issuer: Issuer, insecure: Insecure = []) {
        self.issuer = issuer
        self.document = document
        self.insecure = insecure
    }

    /// The URL of the document.
    public var url: String {
        let parts = self.issuer.parts
        let origin = "\(parts.scheme)://\(parts.authority ?? "")"
        let path = parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path
        return switch self.document {
        case .openIDConnect: origin + path + "/.well-known/openid-configuration"
        case .authorizationServer: origin + "/.well-known/oauth-authorization-server" + path
        }
    }

    /// Returns the message to send.
    public func message() throws -> OAuthMessage {
        .get(try Endpoint(self.url, name: "the metadata URL", insecure: self.insecure))
    }

    /// Decodes the response.
    ///
    /// - Throws: ``HTTPStatusError`` for any status except 200, or `ProtocolViolationError` with `metadataFormat`,
    ///   `issuerMatch` or `endpoint` if the document does not conform to RFC 8414.
    public func metadata(status: Int, body: [UInt8]) throws -> ServerMetadata {
        guard status == 200 else { throw HTTPStatusError(status: status, endpoint: "metadata endpoint") }
        let metadata = try ServerMetadata(parsing: body, insecure: self.insecure)
        // RFC 8414, section 3.3: The issuer in the document must be identical to the issuer that the URL was built
        // from.
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
