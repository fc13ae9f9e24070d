// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProviderTLS
internal import SwiftASN1
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport
internal import X509

extension ProviderState {
    /// Returns the public keys as PEM certificates, like Google's older endpoint.
    ///
    /// Keys that cannot be included in a certificate are left out.
    func pemCertificates() -> ProviderResponse {
        let members = self.keys.published(at: self.now)
            .compactMap { key -> JSONMember? in
                guard let name = key.keyID, let pem = try? Self.certificate(key, at: self.now) else { return nil }
                return JSONMember(name: name, value: .string(pem + "\n"))
            }
        return Self.cacheable(.json(.object(members)))
    }

    private static func certificate(_ key: JWSSigningKey, at now: Int64) throws -> String {
        let key = try Certificate.PrivateKey(pemEncoded: key.pemRepresentation)
        let name = "Tessera Local Provider, signing key"
        let start = Date(timeIntervalSince1970: Double(now) - 86_400)
        let certificate = try Certificate.issue(key, name, by: key, name, from: start) {
            Critical(KeyUsage(digitalSignature: true))
        }
        return try certificate.serializeAsPEM().pemString
    }
}
#endif
