// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// A combination of client authentication and sender-constrained tokens.
///
/// The FAPI 2.0 plans of the conformance suite run the same modules with each variant.
enum FAPIVariant: String, Sendable, CaseIterable {
    case keyAndDPoP = "private_key_jwt, DPoP"
    case keyAndBoundTokens = "private_key_jwt, certificate-bound tokens"
    case certificateAndDPoP = "mTLS, DPoP"
    case certificateAndBoundTokens = "mTLS, certificate-bound tokens"

    /// The variants with DPoP.
    static let dpop: [Self] = [.keyAndDPoP, .certificateAndDPoP]

    /// The client authentication method.
    var authentication: ClientAuthentication {
        switch self {
        case .keyAndDPoP, .keyAndBoundTokens: .privateKeyJWT
        case .certificateAndDPoP, .certificateAndBoundTokens: .tlsClientAuth
        }
    }

    /// Whether tokens are bound to a DPoP key instead of the certificate.
    var usesDPoP: Bool { Self.dpop.contains(self) }
    /// Whether the client's transport presents a certificate.
    var usesCertificate: Bool { self != .keyAndDPoP }

    /// Returns the relying party, which enforces the profile.
    func client() throws -> OAuthClient {
        OAuthClient(
            clientID: ConformanceProvider.clientID,
            assertionKey: self.authentication == .privateKeyJWT ? try ProviderEndpoints.clientKey.get() : nil,
            authentication: self.authentication,
            certificateBoundAccessTokens: !self.usesDPoP,
            securityProfile: .fapi2
        )
    }
}
