// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A certificate with its private key, by which a transport shows in the TLS handshake who the client is.
///
/// For `tls_client_auth`, `self_signed_tls_client_auth` and access tokens that are bound to a certificate. A transport
/// that was made with one shows it to every server that asks, so keep that transport for the provider and the APIs that
/// the certificate is meant for.
///
/// - SeeAlso: [RFC 8705, sections 2 and 3](https://www.rfc-editor.org/rfc/rfc8705.html#section-2)
public struct ClientIdentity: Sendable, Hashable {
    /// The client's certificate, then those between it and its authority, in PEM.
    public let certificateChain: String
    /// The certificate's private key in PEM, not encrypted.
    public let privateKey: Secret

    /// An identity; what is in the texts is looked at when a transport is made with it.
    public init(certificateChain: String, privateKey: Secret) {
        self.certificateChain = certificateChain
        self.privateKey = privateKey
    }
}
