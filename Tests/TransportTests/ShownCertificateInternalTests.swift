// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if os(Linux) && canImport(NIOSSL)
internal import Crypto
internal import Foundation
internal import SwiftASN1
@testable internal import TesseraCurl
internal import TesseraOAuth
internal import Testing
internal import X509

@Suite("Names and dates of certificates")
struct ShownCertificateInternalTests {
    @Test("Prefers the issuer's organization to its common name, and reads dates after 2049")
    func organization() throws {
        let issuer = try DistinguishedName {
            CommonName("R3")
            OrganizationName("Corp, \"Inc.\" O = x + ä")
        }
        let until = Date(timeIntervalSince1970: 2_600_000_000)
        let certificate = try Self.certificate(issuer: issuer, until: until)
        let shown = try #require(ServerCertificate(pem: certificate.serializeAsPEM().pemString))
        #expect(shown.issuer == "Corp, \"Inc.\" O = x + ä")
        #expect(shown.validFrom == Date(timeIntervalSince1970: 1_000_000_000))
        #expect(shown.validUntil == until)
    }

    @Test("Returns nil for a truncated certificate or other text")
    func malformed() throws {
        let certificate = try Self.certificate(issuer: DistinguishedName { CommonName("R3") }, until: .distantFuture)
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        let bytes = serializer.serializedBytes
        #expect(ServerCertificate(pem: Self.pem(bytes))?.issuer == "R3")
        for count in 0..<bytes.count { #expect(ServerCertificate(pem: Self.pem(bytes.prefix(count))) == nil) }
        #expect(ServerCertificate(pem: "") == nil)
        #expect(ServerCertificate(pem: "-----END CERTIFICATE----------BEGIN CERTIFICATE-----") == nil)
    }

    private static func pem(_ bytes: some Sequence<UInt8>) -> String {
        "-----BEGIN CERTIFICATE-----\n\(Data(bytes).base64EncodedString())\n-----END CERTIFICATE-----\n"
    }

    private static func certificate(issuer: DistinguishedName, until: Date) throws -> Certificate {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        return try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: key.publicKey,
            notValidBefore: Date(timeIntervalSince1970: 1_000_000_000),
            notValidAfter: until,
            issuer: issuer,
            subject: DistinguishedName { CommonName("example.com") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions(),
            issuerPrivateKey: key
        )
    }
}
#endif
