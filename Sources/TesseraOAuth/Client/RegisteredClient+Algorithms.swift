// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE

extension RegisteredClient {
    /// The algorithms that an ID token of this server may be signed with: see ``OAuthClient/idTokenAlgorithms(supported:)``.
    public var idTokenAlgorithms: [JWSAlgorithm] {
        self.client.idTokenAlgorithms(supported: self.metadata.idTokenSigningAlgValuesSupported)
    }

    /// Checks that there is an algorithm by which an ID token of this server could be accepted.
    ///
    /// Called before the user is asked, or before a code or a refresh token is used up.
    ///
    /// - Throws: ``InvalidRequestError`` that names the algorithms of both sides.
    package func checkIDTokenAlgorithms() throws(InvalidRequestError) {
        guard self.idTokenAlgorithms.isEmpty else { return }
        throw Self.noCommonAlgorithm(
            "id_token_signed_response_alg",
            "ID tokens",
            own: self.client.idTokenAlgorithms,
            listed: self.metadata.idTokenSigningAlgValuesSupported
        )
    }

    /// Checks the same of signed authorization responses (JARM).
    func checkAuthorizationResponseAlgorithms() throws(InvalidRequestError) {
        let listed = self.metadata.authorizationSigningAlgValuesSupported
        guard self.client.authorizationResponseAlgorithms(supported: listed).isEmpty else { return }
        throw Self.noCommonAlgorithm(
            "authorization_signed_response_alg",
            "authorization responses",
            own: self.client.authorizationResponseAlgorithms,
            listed: listed
        )
    }

    private static func noCommonAlgorithm(
        _ name: String,
        _ subject: String,
        own: [JWSAlgorithm]?,
        listed: [String]?
    ) -> InvalidRequestError {
        let theirs = (listed ?? []).map { UntrustedText.printable($0, limit: 20) }.prefix(20).joined(separator: ", ")
        let ours = (own ?? JWSAlgorithm.supported).map(\.rawValue).joined(separator: ", ")
        let provider = theirs.isEmpty ? "an algorithm that it does not list" : theirs
        return InvalidRequestError(
            name,
            reason: "the provider signs \(subject) with \(provider), "
                + "and this client accepts \(ours.isEmpty ? "none" : ours)",
            advice: own == nil
                ? "Ask the provider for an algorithm that is accepted here."
                : "Accept one of the provider's algorithms, or leave the choice to its metadata."
        )
    }
}
