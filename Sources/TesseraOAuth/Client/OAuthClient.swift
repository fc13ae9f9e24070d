// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE

/// The program, as the provider knows it.
///
/// - SeeAlso: [RFC 6749, section 2](https://www.rfc-editor.org/rfc/rfc6749.html#section-2)
public struct OAuthClient: Sendable, Hashable {
    /// `client_id`.
    public var clientID: String
    /// `client_secret`, nil for a public client without one.
    ///
    /// Of a desktop program it is no secret at all, and yet some providers (Google) demand it.
    public var clientSecret: Secret?
    /// How the client proves itself at the token endpoint; nil chooses by the provider's metadata.
    public var authentication: ClientAuthentication?
    /// The algorithms that ID tokens may be signed with, `RS256` by default.
    public var idTokenAlgorithms: [JWSAlgorithm]

    /// A client.
    public init(
        clientID: String,
        clientSecret: Secret? = nil,
        authentication: ClientAuthentication? = nil,
        idTokenAlgorithms: [JWSAlgorithm] = [.rs256]
    ) {
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.authentication = authentication
        self.idTokenAlgorithms = idTokenAlgorithms
    }

    /// The method used at a provider that supports `methods` (nil: its metadata does not say).
    public func authentication(supported methods: [String]?) -> ClientAuthentication {
        if let authentication { return authentication }
        guard self.clientSecret != nil else { return .publicClient }
        guard let methods, !methods.contains(ClientAuthentication.clientSecretBasic.rawValue) else {
            return .clientSecretBasic
        }
        return methods.contains(ClientAuthentication.clientSecretPost.rawValue) ? .clientSecretPost : .clientSecretBasic
    }

    /// The algorithms of ``idTokenAlgorithms`` at a provider that signs with `algorithms` (nil: it does not say).
    public func idTokenAlgorithms(supported algorithms: [String]?) -> [JWSAlgorithm] {
        guard let algorithms else { return self.idTokenAlgorithms }
        return self.idTokenAlgorithms.filter { algorithms.contains($0.rawValue) }
    }
}
