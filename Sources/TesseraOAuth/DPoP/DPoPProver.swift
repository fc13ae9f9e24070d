// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes

/// Proves the possession of a key, request by request: the key, the nonces that servers gave, and the clock.
///
/// - SeeAlso: [RFC 9449, section 4](https://www.rfc-editor.org/rfc/rfc9449.html#section-4)
public struct DPoPProver: Sendable {
    /// The key.
    public let key: DPoPKey
    /// What servers gave for the next proof.
    public let nonces: DPoPNonces
    private let runtime: OAuthRuntime

    /// A prover.
    ///
    /// - Parameters:
    ///   - key: the key.
    ///   - nonces: shared by all who prove to the same servers.
    ///   - runtime: supplies the time and the randomness of proofs.
    public init(_ key: DPoPKey, nonces: DPoPNonces = DPoPNonces(), runtime: OAuthRuntime) {
        self.key = key
        self.nonces = nonces
        self.runtime = runtime
    }

    /// Puts a new proof for exactly this request into its `DPoP` field, in place of any that is there.
    ///
    /// - Parameters:
    ///   - request: the request, complete; a change of its method or URL needs another proof, as does sending it again.
    ///   - accessToken: the token that it carries to a resource; nil for a request to an authorization server.
    /// - Throws: ``InvalidRequestError`` for a request without an absolute URL.
    public func prove(_ request: inout HTTPRequest, accessToken: Secret? = nil) throws {
        let proof = try DPoPProof(for: request, accessToken: accessToken, nonce: self.nonces.nonce(for: request))
            .signed(by: self.key, runtime: self.runtime)
        request.headerFields[fields: .dpop] = [proof.withUnredacted { .sensitive(.dpop, $0) }]
    }

    /// Takes the nonce of a response, whatever its status.
    ///
    /// - Returns: whether it brought one that can be used.
    @discardableResult
    public func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool {
        self.nonces.learn(from: response, to: request)
    }
}
