// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProviderTLS
internal import Crypto
internal import NIOSSL
internal import SwiftASN1
internal import TesseraSupport
internal import X509

/// The server's TLS configuration, with a certificate authority that is created for each run.
///
/// The certificate authority's private key is never stored.
struct LocalTLS: Sendable {
    var authorityPEM: String
    var configuration: TLSConfiguration

    /// Creates the certificates and writes the certificate authority's certificate to the configured file.
    init(for options: LocalProviderOptions) throws(LocalProviderError) {
        do {
            (self.authorityPEM, self.configuration) = try Self.make(for: options)
            if let file = options.certificateAuthorityFile {
                try Data(self.authorityPEM.utf8).write(to: URL(filePath: file), options: .atomic)
            }
        } catch {
            throw LocalProviderError(
                .certificate,
                "Could not create the certificate or write its file. Check that the directory exists and is writable."
            )
        }
    }

    private static func make(for options: LocalProviderOptions) throws -> (String, TLSConfiguration) {
        let authorityKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let authorityName = "Tessera Local Provider, for this run only"
        let start = options.now().addingTimeInterval(-3600)
        let authority = try Certificate.issue(authorityKey, authorityName, by: authorityKey, authorityName, from: start)
        {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            SubjectKeyIdentifier(hash: authorityKey.publicKey)
        }
        let serverKey = P256.Signing.PrivateKey()
        let key = Certificate.PrivateKey(serverKey)
        let server = try Certificate.issue(key, "localhost", by: authorityKey, authorityName, from: start) {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.serverAuth])
            SubjectAlternativeNames(Self.names(options.host))
            AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: authorityKey.publicKey).keyIdentifier)
        }
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(server.serializeAsPEM().pemString.utf8))
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(serverKey.pemRepresentation.utf8), format: .pem))
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return (try authority.serializeAsPEM().pemString + "\n", configuration)
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

extension Certificate {
    /// Creates a certificate that is valid for 30 days.
    static func issue(
        _ key: PrivateKey,
        _ subject: String,
        by issuerKey: PrivateKey,
        _ issuer: String,
        from start: Date,
        @ExtensionsBuilder extensions: () throws -> Result<Extensions, any Error>
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: SerialNumber(),
            publicKey: key.publicKey,
            notValidBefore: start,
            notValidAfter: start.addingTimeInterval(30 * 86_400),
            issuer: try DistinguishedName { CommonName(issuer) },
            subject: try DistinguishedName { CommonName(subject) },
            extensions: try Extensions(builder: extensions),
            issuerPrivateKey: issuerKey
        )
    }
}
#endif
