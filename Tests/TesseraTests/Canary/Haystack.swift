// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraJOSE
internal import TesseraOAuth

/// A search for many secrets at once, in all their encodings.
struct Haystack {
    private static let window = 8
    private var needles: [UInt64: [(bytes: [UInt8], name: String)]] = [:]

    init(_ secrets: [String]) {
        for secret in secrets {
            for (name, spelling) in Self.spellings(secret) {
                let bytes = Array(spelling.utf8)
                guard bytes.count >= Self.window else { continue }
                let key = bytes[..<Self.window].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                self.needles[key, default: []].append((bytes, name))
            }
        }
    }

    /// Returns the secret in plaintext, percent-encoded and base64-encoded, along with its first and last characters.
    ///
    /// A signed token has no prefix in the result, because its header is not a secret.
    private static func spellings(_ secret: String) -> [(name: String, text: String)] {
        let bytes = Array(secret.utf8)
        let encoded = FormParameters.encode(secret)
        var result = [
            ("in plaintext", secret), ("percent-encoded", encoded), ("percent-encoded", encoded.lowercased()),
            ("in base64url", Base64URL.encode(bytes)),
            ("in base64", String(Data(bytes).base64EncodedString().prefix { $0 != "=" })),
            ("as bytes", bytes.prefix(12).map { "\($0)" }.joined(separator: ", ")),
        ]
        if bytes.count >= 20 { result.append(("its last 12 characters", String(secret.suffix(12)))) }
        if bytes.count >= 32, !secret.hasPrefix("ey") { result.append(("its beginning", String(secret.prefix(20)))) }
        return result
    }

    /// Returns the first secret in a text with the surrounding text, or nil if there is none.
    func find(in text: String) -> String? {
        let bytes = Array(text.utf8)
        var key: UInt64 = 0
        for (index, byte) in bytes.enumerated() {
            key = key << 8 | UInt64(byte)
            guard index >= Self.window - 1, let candidates = self.needles[key] else { continue }
            let start = index - Self.window + 1
            for needle in candidates where bytes[start...].starts(with: needle.bytes) {
                let before = String(decoding: bytes[max(0, start - 200)..<start], as: UTF8.self)
                let end = start + needle.bytes.count
                let after = String(decoding: bytes[start..<min(bytes.count, end + 60)], as: UTF8.self)
                return "a secret \(needle.name): \(before)<HERE>\(after)"
            }
        }
        return nil
    }
}
