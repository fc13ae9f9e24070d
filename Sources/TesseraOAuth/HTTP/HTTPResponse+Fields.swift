// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import HTTPTypes
internal import TesseraSupport

extension HTTPResponse {
    /// How long the server wants the client to wait, by `Retry-After` in seconds or as a date; nil without the field, and
    /// for a value that is neither.
    ///
    /// A date is compared with the response's own `Date`, so that a wrong clock on this machine does not matter, else with
    /// `now`.
    ///
    /// - SeeAlso: [RFC 9110, section 10.2.3](https://www.rfc-editor.org/rfc/rfc9110.html#section-10.2.3)
    package func retryAfter(at now: Date?) -> Duration? {
        guard let text = self.headerFields[.retryAfter] else { return nil }
        if let seconds = Int64(text), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            return .seconds(min(seconds, 1 << 32))
        }
        guard let end = HTTPDate.seconds(text), let now = self.serverDate ?? now else { return nil }
        return .seconds(max(0, Double(end) - now.timeIntervalSince1970))
    }
}

extension HTTPResponse {
    /// The time at the server when it created the response; nil without a `Date` field, or if a cache answered (`Age`).
    ///
    /// - SeeAlso: [RFC 9110, section 6.6.1](https://www.rfc-editor.org/rfc/rfc9110.html#section-6.6.1)
    public var serverDate: Date? {
        guard self.headerFields[.age] == nil else { return nil }
        return self.headerFields[.date].flatMap { HTTPDate.seconds($0) }
            .map { Date(timeIntervalSince1970: Double($0)) }
    }
}

extension HTTPResponse {
    /// The media type in lower case, without parameters.
    var contentType: String? {
        self.headerFields[.contentType]?.prefix { $0 != ";" }.trimmingSpaces().lowercased()
    }
}
