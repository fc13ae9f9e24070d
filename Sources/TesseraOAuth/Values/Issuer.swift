// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// An issuer identifier: the exact text that names an authorization server.
///
/// Compared character by character, always.
///
/// - SeeAlso: [RFC 8414, section 2](https://www.rfc-editor.org/rfc/rfc8414.html#section-2)
public struct Issuer: Sendable, Hashable, CustomStringConvertible {
    /// The identifier as it was given.
    public let url: String
    let parts: URIParts

    /// Checks the form of an identifier: https (or permitted loopback http), no query, fragment or user name.
    public init(_ url: String, insecure: Insecure = []) throws {
        guard let parts = URIParts(url), parts.host != nil, parts.query == nil, parts.fragment == nil,
            parts.userinfo == nil, parts.isSecure(permitting: insecure)
        else {
            throw ProtocolViolationError(
                .issuerForm,
                expected: "an https URL without query, fragment and user name",
                // What stands before an @ may be a password.
                actual: url.utf8.contains(UInt8(ascii: "@")) ? nil : url
            )
        }
        self.url = url
        self.parts = parts
    }

    /// The identifier.
    public var description: String { self.url }
}
