// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Names and dates of the certificate that a server presents in its TLS handshake, as they are written in it.
///
/// Nothing is verified: use it to explain a failed connection, never to trust one.
public struct ServerCertificate: Sendable, Hashable {
    /// The organization that signed the certificate, or else its common name.
    public let issuer: String?
    /// The start of the certificate's validity.
    public let validFrom: Date
    /// The end of the certificate's validity.
    public let validUntil: Date

    /// Creates a description of a certificate.
    public init(issuer: String?, validFrom: Date, validUntil: Date) {
        self.issuer = issuer
        self.validFrom = validFrom
        self.validUntil = validUntil
    }
}
