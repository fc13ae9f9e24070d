// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What a server's certificate says of itself: a claim, until somebody has verified it.
package struct ShownCertificate: Sendable, Hashable {
    /// Who signed it: the organisation, else the common name.
    package let issuer: String?
    /// From when on it is valid.
    package let validFrom: Date
    /// Until when it is valid.
    package let validUntil: Date

    package init(issuer: String?, validFrom: Date, validUntil: Date) {
        self.issuer = issuer
        self.validFrom = validFrom
        self.validUntil = validUntil
    }
}
