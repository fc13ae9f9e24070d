// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// The identifier of an authorization server.
///
/// Identifiers are compared character by character.
///
/// - SeeAlso: [RFC 8414, section 2](https://www.rfc-editor.org/rfc/rfc8414.html#section-2)
public struct Issuer: Sendable, Hashable, CustomStringConvertible {
    /// The identifier in its original spelling.
    public let url: String
    let parts: URIParts

    /// Creates an issuer from an https URL, or a permitted loopback http URL, that has no query, fragment or user name.
    public init(_ url: String, insecure: Insecure = []) throws {
        guard let parts = URIParts(url), parts.host != nil, parts.query == nil, parts.fragment == nil,
            parts.userinfo == nil, parts.isSecure(insecure: insecure)
        else {
            throw ProtocolViolationError(
                .issuerForm,
                expected: "an https URL without a query, fragment or user name",
                // The text before an @ may be a password.
                actual: url.utf8.contains(UInt8(ascii: "@")) ? nil : url
            )
        }
        self.url = url
        self.parts = parts
    }

    /// The identifier.
    public var description: String { self.url }
}
