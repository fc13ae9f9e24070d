// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Base64 with the URL-safe alphabet and without padding, in its one canonical form.
///
/// - SeeAlso: [RFC 7515, section 2](https://www.rfc-editor.org/rfc/rfc7515.html#section-2)
public enum Base64URL {
    /// The text for some bytes.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64.encode(bytes, isURLSafe: true, isPadded: false)
    }

    /// The bytes of a text; nil for padding, `+`, `/`, white space, an impossible length, or unused bits that are set.
    ///
    /// Each byte sequence has exactly one text, so a signed text cannot be altered and still mean the same.
    public static func decode(_ text: String) -> [UInt8]? { Self.decode(utf8: Array(text.utf8)) }

    static func decode(utf8 text: consuming [UInt8]) -> [UInt8]? { Base64.decodeURLSafe(text) }
}
