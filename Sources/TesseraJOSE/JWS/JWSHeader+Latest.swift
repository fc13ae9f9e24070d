// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Synchronization
internal import TesseraJSON

extension JWSHeader {
    /// The header that was read last, beside its text.
    ///
    /// The tokens that a key signs have one header, to the byte; reading it anew would be a tenth of what a token costs
    /// beside its signature. Equal texts mean equal headers, so that nothing is skipped that could turn out otherwise.
    private static let latest = Mutex<(text: [UInt8], header: JWSHeader)?>(nil)
    private static let longestKept = 1_024

    /// Reads a header in base64url; nil when it is not in its canonical form.
    static func read(_ text: ArraySlice<UInt8>) throws(ProtocolViolation) -> JWSHeader? {
        if let known = Self.latest.withLock({ $0?.text.span.isExactly(text.span) == true ? $0?.header : nil }) {
            return known
        }
        guard let bytes = Base64URL.decode(utf8: text.span) else { return nil }
        let header = try JWSHeader(parsing: bytes)
        if text.count <= Self.longestKept { Self.latest.withLock { $0 = (Array(text), header) } }
        return header
    }
}
