// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif
package import HTTPTypes

extension HTTPResponse {
    /// The server's clock when it made the answer; nil where it does not say, or the answer comes from a cache (`Age`).
    ///
    /// - SeeAlso: [RFC 9110, section 6.6.1](https://www.rfc-editor.org/rfc/rfc9110.html#section-6.6.1)
    package var serverDate: Date? {
        guard self.headerFields[.age] == nil else { return nil }
        return self.headerFields[.date].flatMap { HTTPDate.seconds($0) }
            .map { Date(timeIntervalSince1970: Double($0)) }
    }
}
