// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Crypto
public import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON

/// A DPoP key together with the nonces and clock that its proofs need.
///
/// - SeeAlso: [RFC 9449, section 4](https://www.rfc-editor.org/rfc/rfc9449.html#section-4)
public struct DPoPProver: Sendable {
    /// The key that signs proofs.
    public let key: DPoPKey
    /// The nonces that servers have issued for the next proof.
    public let nonces: DPoPNonces
    private let runtime: OAuthRuntime

    /// Creates a prover.
    ///
    /// - Parameters:
    ///   - key: The key that signs proofs.
    ///   - nonces: The nonces, which all provers for the same servers should share.
    ///   - runtime: The source of time and randomness.
    public init(_ key: DPoPKey, nonces: DPoPNonces = DPoPNonces(), runtime: OAuthRuntime) {
        self.key = key
        self.nonces = nonces
        self.runtime = runtime
    }

    /// Adds a new proof to a request, replacing any existing `DPoP` header field.
    ///
    /// - Parameters:
    ///   - request: The complete request. It needs a new proof if its method or URL changes, or if it is sent again.
    ///   - accessToken: The access token for a request to a resource, or nil for a request to an authorization server.
    /// - Throws: ``InvalidRequestError`` if the request does not have an absolute URL.
    public func addProof(to request: inout HTTPRequest, accessToken: Secret? = nil) throws {
        let proof = try DPoPProof(for: request, accessToken: accessToken, nonce: self.nonces.nonce(for: request))
            .signed(by: self.key, runtime: self.runtime)
        request.headerFields[fields: .dpop] = [proof.withUnredacted { .sensitive(.dpop, $0) }]
    }

    /// Stores the nonce in a response with any status.
    ///
    /// - Returns: Whether the response contains a usable nonce.
    @discardableResult
    public func updateNonce(from response: HTTPResponse, to request: HTTPRequest) -> Bool {
        self.nonces.updateNonce(from: response, to: request)
    }
}

/// The DPoP proof that a request carries if the client has a DPoP key.
///
/// - SeeAlso: [RFC 9449, sections 5, 7 and 10.1](https://www.rfc-editor.org/rfc/rfc9449.html#section-5)
public enum DPoPUse: Sendable {
    /// No proof.
    case none
    /// A proof for the key that tokens will be bound to, used at the token endpoint and for pushed requests.
    case possession
    /// A proof for the key that this access token is bound to, used for requests to a resource.
    case accessToken(Secret)
}

/// The claims in a DPoP proof, which shows that the sender of a request holds a key.
///
/// - SeeAlso: [RFC 9449, section 4.2](https://www.rfc-editor.org/rfc/rfc9449.html#section-4.2)
package struct DPoPProof: Sendable, Hashable {
    /// The request method (`htm`).
    package let method: String
    /// The request URL (`htu`), without a query, fragment or default port, and with a lowercase scheme and host.
    package let url: String
    /// The nonce that the server issued for the next proof (`nonce`).
    package let nonce: String?
    /// The hash of the access token in a request to a resource (`ath`), or nil for an authorization server.
    package let accessTokenHash: String?

    /// Creates the claims for a proof.
    ///
    /// - Throws: ``InvalidRequestError`` if the request does not have an absolute URL.
    package init(for request: HTTPRequest, accessToken: Secret? = nil, nonce: String? = nil) throws {
        guard let origin = request.origin, let path = request.path, path.utf8.first == UInt8(ascii: "/") else {
            throw InvalidRequestError("htu", reason: "a proof requires an absolute URL")
        }
        self.method = request.method.rawValue
        self.url = origin + path.prefix { $0 != "?" && $0 != "#" }
        self.nonce = nonce
        self.accessTokenHash = accessToken.map { token in
            token.withUnredacted { Base64URL.encode(Array(SHA256.hash(data: Array($0.utf8)))) }
        }
    }

    /// Returns the signed proof, with a new `jti` and `iat`, for the `DPoP` header field.
    ///
    /// `iat` is one second in the past. Otherwise, a server with a slightly slower clock could reject the proof as
    /// issued in the future. Even a difference of a few milliseconds between two clocks on the same machine can cause
    /// this.
    ///
    /// - Throws: Any error that the cryptography library throws.
    package func signed(by key: DPoPKey, runtime: OAuthRuntime) throws -> Secret {
        let claims = JSONNode.object(present: [
            "jti": .string(Base64URL.encode(runtime.randomBytes(16))), "htm": .string(self.method),
            "htu": .string(self.url), "iat": .integer(Int64(runtime.now().timeIntervalSince1970) - 1),
            "ath": self.accessTokenHash.map { .string($0) }, "nonce": self.nonce.map { .string($0) },
        ])
        return try key.sign(claims.serialized())
    }
}

extension HTTPRequest {
    /// The lowercase scheme, host and port, omitting a default port, or nil if there is no host.
    var origin: String? {
        guard let scheme = self.scheme?.lowercased(), let authority,
            let (host, port) = RequestTarget.parts(of: authority)
        else { return nil }
        let isUsual = port == nil || (scheme == "https" && port == 443) || (scheme == "http" && port == 80)
        return "\(scheme)://\(host.lowercased())" + (isUsual ? "" : port.map { ":\($0)" } ?? "")
    }
}
