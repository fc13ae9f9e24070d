// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The header field by which a server says when it wants to be asked again.
///
/// - SeeAlso: [RFC 9110, section 10.2.3](https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3)
enum RetryAfter {
    /// How long to wait from `date` on; nil where the server does not say, or not so that it can be understood.
    static func wait(in response: HTTPResponse, at date: Date) -> Duration? {
        guard let text = response.headerFields[.retryAfter] else { return nil }
        if let seconds = Int64(text), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            return .seconds(min(seconds, 1 << 32))
        }
        return HTTPDate.seconds(text).map { .seconds(max(0, Double($0) - date.timeIntervalSince1970)) }
    }
}
