// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Canonical Base64 encoding with the URL-safe alphabet and without padding.
///
/// - SeeAlso: [RFC 7515, section 2](https://www.rfc-editor.org/rfc/rfc7515.html#section-2)
public enum Base64URL {
    /// Returns the base64url encoding of the given bytes.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64.encode(bytes, isURLSafe: true, isPadded: false)
    }

    /// Returns the decoded bytes, or nil if the text is not canonical base64url.
    ///
    /// Padding, `+`, `/`, whitespace, impossible lengths and nonzero unused bits are rejected. Each sequence of bytes
    /// therefore has exactly one encoding, so signed text cannot be changed without changing the bytes.
    public static func decode(_ text: String) -> [UInt8]? { Self.decode(utf8: Array(text.utf8)) }

    static func decode(utf8 text: consuming [UInt8]) -> [UInt8]? { Base64.decodeURLSafe(text) }
}
