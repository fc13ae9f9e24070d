// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient && !canImport(UIKit)
internal import NIOSSL
internal import TesseraOAuth

/// A client's certificates and key, read.
struct TLSIdentity: Sendable {
    let certificates: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    init(_ identity: ClientIdentity) throws(InvalidRequestError) {
        do {
            self.certificates = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificateChain.utf8))
        } catch {
            throw InvalidRequestError("clientIdentity", reason: "the certificate chain is no PEM of certificates")
        }
        guard !self.certificates.isEmpty else {
            throw InvalidRequestError("clientIdentity", reason: "the certificate chain is empty")
        }
        do {
            self.key = try NIOSSLPrivateKey(
                bytes: identity.privateKey.withUnredacted { Array($0.utf8) },
                format: .pem
            )
        } catch {
            throw InvalidRequestError("clientIdentity", reason: "the private key is no unencrypted PEM of a key")
        }
    }
}
#endif
