// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(NIOSSL)
internal import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// A certificate and its private key in PEM, created for one test.
struct TestIdentity: Sendable {
    let certificate: String
    let key: String

    /// A certificate authority, created for one test.
    struct Authority: Sendable {
        private let key = P256.Signing.PrivateKey()
        let certificate: Certificate

        init() throws {
            let key = Certificate.PrivateKey(self.key)
            let name = try DistinguishedName { CommonName("Tessera test authority") }
            self.certificate = try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: key.publicKey,
                notValidBefore: Date(timeIntervalSinceNow: -86_400 * 3),
                notValidAfter: Date(timeIntervalSinceNow: 86_400),
                issuer: name,
                subject: name,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                    Critical(KeyUsage(keyCertSign: true))
                },
                issuerPrivateKey: key
            )
        }

        var pem: String { get throws { try self.certificate.serializeAsPEM().pemString } }

        /// Issues a certificate that is valid from yesterday on, by default for two days and for a server.
        func identity(
            for name: String,
            usage: ExtendedKeyUsage.Usage = .serverAuth,
            validFor duration: TimeInterval = 86_400 * 2
        ) throws -> TestIdentity {
            let key = P256.Signing.PrivateKey()
            let start = Date(timeIntervalSinceNow: -86_400)
            let certificate = try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(key.publicKey),
                notValidBefore: start,
                notValidAfter: start.addingTimeInterval(duration),
                issuer: self.certificate.subject,
                subject: try DistinguishedName { CommonName(name) },
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: try Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([usage])
                    SubjectAlternativeNames([.dnsName(name)])
                },
                issuerPrivateKey: Certificate.PrivateKey(self.key)
            )
            return TestIdentity(certificate: try certificate.serializeAsPEM().pemString, key: key.pemRepresentation)
        }
    }
}
#endif
