// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import NIOSSL
internal import SwiftASN1
internal import TesseraSupport
internal import X509

/// A certificate authority that lives for one run, and the server certificate that it signed.
///
/// Its key is never stored.
struct LocalCertificateAuthority: Sendable {
    var certificatePEM: String
    var serverConfiguration: TLSConfiguration

    /// Makes both, and writes the authority's certificate where the options say.
    static func make(for options: LocalProviderOptions) throws(LocalProviderError) -> LocalCertificateAuthority {
        do {
            let made = try self.init(for: options)
            if let file = options.certificateAuthorityFile {
                try Data(made.certificatePEM.utf8).write(to: URL(filePath: file), options: .atomic)
            }
            return made
        } catch {
            throw LocalProviderError(
                .certificate,
                "The certificate authority’s file could not be made; check that its directory exists and is writable."
            )
        }
    }

    private init(for options: LocalProviderOptions) throws {
        let authorityKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let authorityName = try DistinguishedName { CommonName("Tessera Local Provider, for this run only") }
        let start = options.now().addingTimeInterval(-3600)
        let end = start.addingTimeInterval(30 * 86_400)
        let authority = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: authorityKey.publicKey,
            notValidBefore: start,
            notValidAfter: end,
            issuer: authorityName,
            subject: authorityName,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: authorityKey.publicKey)
            },
            issuerPrivateKey: authorityKey
        )
        let serverKey = P256.Signing.PrivateKey()
        let server = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PrivateKey(serverKey).publicKey,
            notValidBefore: start,
            notValidAfter: end,
            issuer: authorityName,
            subject: try DistinguishedName { CommonName("localhost") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(Self.names(options.host))
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: authorityKey.publicKey).keyIdentifier)
            },
            issuerPrivateKey: authorityKey
        )
        self.certificatePEM = try authority.serializeAsPEM().pemString + "\n"
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(server.serializeAsPEM().pemString.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(serverKey.pemRepresentation.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        self.serverConfiguration = configuration
    }

    private static func names(_ host: String) -> [GeneralName] {
        let loopback6: [UInt8] = Array(repeating: 0, count: 15) + [1]
        var names: [GeneralName] = [
            .dnsName("localhost"),
            .ipAddress(ASN1OctetString(contentBytes: [127, 0, 0, 1])),
            .ipAddress(ASN1OctetString(contentBytes: loopback6[...])),
        ]
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        if numbers.count == 4, numbers.allSatisfy({ $0 != nil }) {
            names.append(.ipAddress(ASN1OctetString(contentBytes: numbers.compactMap(\.self)[...])))
        } else if !host.contains(":") {
            names.append(.dnsName(host))
        }
        return names
    }
}
#endif
