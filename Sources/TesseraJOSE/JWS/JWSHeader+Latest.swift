// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJSON

extension JWSHeader {
    /// The header that was read last, beside its text.
    ///
    /// The tokens that a key signs have one header, to the byte; reading it anew would be a tenth of what a token costs
    /// beside its signature. Equal texts mean equal headers, so that nothing is skipped that could turn out otherwise.
    private static let latest = Mutex<(text: [UInt8], header: JWSHeader)?>(nil)
    private static let longestKept = 1_024

    /// Reads a header in base64url; nil when it is not in its canonical form.
    static func read(_ text: ArraySlice<UInt8>) throws(ProtocolViolationError) -> JWSHeader? {
        let known = Self.latest.withLock { latest -> JWSHeader? in
            guard let latest, latest.text.withSpan({ $0.isExactly(text.span) }) else { return nil }
            return latest.header
        }
        if let known { return known }
        guard let bytes = Base64URL.decode(utf8: Array(text)) else { return nil }
        let header = try JWSHeader(parsing: bytes)
        if text.count <= Self.longestKept { Self.latest.withLock { $0 = (Array(text), header) } }
        return header
    }
}
