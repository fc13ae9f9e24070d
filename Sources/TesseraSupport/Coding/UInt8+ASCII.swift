// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension UInt8 {
    /// Whether the byte is an ASCII letter.
    package var isASCIILetter: Bool { 0x41...0x5A ~= self || 0x61...0x7A ~= self }

    /// Whether the byte is an ASCII letter or digit.
    package var isASCIIAlphanumeric: Bool { self.isASCIILetter || 0x30...0x39 ~= self }

    /// Whether the byte is allowed in an HTTP method or field name (RFC 9110, section 5.6.2).
    package var isTokenCharacter: Bool { self.isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}
