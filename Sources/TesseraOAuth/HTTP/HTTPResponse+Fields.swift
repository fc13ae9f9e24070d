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
    /// Returns the time that the client must wait (`Retry-After`), or nil if the field is missing or not valid.
    ///
    /// A date is compared with the response's `Date`, so that an inaccurate local clock does not matter. If that field
    /// is missing, the date is compared with `now`.
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
    /// The server's time when it created the response, or nil if there is no `Date` field or the response came from a
    /// cache (`Age`).
    ///
    /// - SeeAlso: [RFC 9110, section 6.6.1](https://www.rfc-editor.org/rfc/rfc9110.html#section-6.6.1)
    public var serverDate: Date? {
        guard self.headerFields[.age] == nil else { return nil }
        return self.headerFields[.date].flatMap { HTTPDate.seconds($0) }
            .map { Date(timeIntervalSince1970: Double($0)) }
    }
}

extension HTTPResponse {
    /// The media type in lowercase, without parameters.
    var contentType: String? {
        self.headerFields[.contentType]?.prefix { $0 != ";" }.trimmingSpaces().lowercased()
    }
}
