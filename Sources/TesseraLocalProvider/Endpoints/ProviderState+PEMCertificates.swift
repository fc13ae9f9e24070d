// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import SwiftASN1
internal import TesseraJOSE
internal import TesseraJSON
internal import X509

extension ProviderState {
    /// The public keys once more, as Google's older address gives them: a certificate in PEM for each key.
    ///
    /// A key that certificates cannot hold is left out.
    func pemCertificates(at now: Int64) -> EndpointResponse {
        let members = self.keys.published(at: now)
            .compactMap { key -> JSONMember? in
                guard let name = key.keyID, let pem = try? Self.certificate(key, at: now) else { return nil }
                return JSONMember(name: name, value: .string(pem + "\n"))
            }
        return Self.cacheable(.json(.object(members)), seconds: 3600)
    }

    private static func certificate(_ key: JWSSigningKey, at now: Int64) throws -> String {
        let privateKey = try Certificate.PrivateKey(pemEncoded: key.pemRepresentation)
        let name = try DistinguishedName { CommonName("Tessera Local Provider, signing key") }
        let start = Date(timeIntervalSince1970: Double(now) - 86_400)
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: privateKey.publicKey,
            notValidBefore: start,
            notValidAfter: start.addingTimeInterval(30 * 86_400),
            issuer: name,
            subject: name,
            extensions: try Certificate.Extensions { Critical(KeyUsage(digitalSignature: true)) },
            issuerPrivateKey: privateKey
        )
        return try certificate.serializeAsPEM().pemString
    }
}
#endif
