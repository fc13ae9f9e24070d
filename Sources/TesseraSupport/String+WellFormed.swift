// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension String {
    /// Creates a string from UTF-8, or returns nil if the bytes are not well-formed.
    package init?(wellFormedUTF8 bytes: some Collection<UInt8>) {
        #if canImport(Darwin)
        // `String(validating:as:)` requires iOS 18 and macOS 15. Decoding replaces what is ill-formed, so that the text
        // encodes differently.
        self.init(decoding: bytes, as: UTF8.self)
        guard self.utf8.elementsEqual(bytes) else { return nil }
        #else
        self.init(validating: bytes, as: UTF8.self)
        #endif
    }

    /// Creates a string from UTF-16, or returns nil if the code units are not well-formed.
    package init?(wellFormedUTF16 units: some Collection<UInt16>) {
        #if canImport(Darwin)
        self.init(decoding: units, as: UTF16.self)
        guard self.utf16.elementsEqual(units) else { return nil }
        #else
        self.init(validating: units, as: UTF16.self)
        #endif
    }
}
