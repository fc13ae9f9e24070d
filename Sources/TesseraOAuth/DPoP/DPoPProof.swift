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

/// What a request proves by the client's DPoP key, where the client has one.
///
/// - SeeAlso: [RFC 9449, sections 5, 7 and 10.1](https://www.rfc-editor.org/rfc/rfc9449.html#section-5)
public enum DPoPUse: Sendable {
    /// Nothing: the request carries no proof.
    case none
    /// That the client has the key that tokens are to be bound to: at the token endpoint and for pushed requests.
    case possession
    /// That the client has the key that this access token is bound to: at a resource.
    case accessToken(Secret)
}

/// What a proof of possession says: that whoever has the key makes exactly this request, now.
///
/// - SeeAlso: [RFC 9449, section 4.2](https://www.rfc-editor.org/rfc/rfc9449.html#section-4.2)
package struct DPoPProof: Sendable, Hashable {
    /// `htm`: the request's method, as it is sent.
    package let method: String
    /// `htu`: the request's URL without query and fragment; scheme and host in lower case, the usual port left out.
    package let url: String
    /// `nonce`: what the server gave for the next proof.
    package let nonce: String?
    /// `ath`: the hash of the access token that the request carries to a resource; nil at an authorization server.
    package let accessTokenHash: String?

    /// What a proof for a request says.
    ///
    /// - Throws: ``InvalidRequestError`` for a request without an absolute URL.
    package init(for request: HTTPRequest, accessToken: Secret? = nil, nonce: String? = nil) throws {
        guard let origin = request.origin, let path = request.path, path.utf8.first == UInt8(ascii: "/") else {
            throw InvalidRequestError("htu", reason: "a proof needs an absolute URL")
        }
        self.method = request.method.rawValue
        self.url = origin + path.prefix { $0 != "?" && $0 != "#" }
        self.nonce = nonce
        self.accessTokenHash = accessToken.map { token in
            token.withUnredacted { Base64URL.encode(Array(SHA256.hash(data: Array($0.utf8)))) }
        }
    }

    /// The proof, signed: the value of the `DPoP` header field of one request, with a `jti` and an `iat` of its own.
    ///
    /// The `iat` lies a second back. A server whose clock is a hair behind, and be it the few milliseconds between two
    /// clocks of one machine, would else see a proof from the future now and then, and need not accept it.
    ///
    /// - Throws: the error of the cryptography library.
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
    /// Scheme, host and port in one spelling: lower case, without the scheme's usual port; nil without a host.
    var origin: String? {
        guard let scheme = self.scheme?.lowercased(), let authority,
            let (host, port) = RequestTarget.parts(of: authority)
        else { return nil }
        let isUsual = port == nil || (scheme == "https" && port == 443) || (scheme == "http" && port == 80)
        return "\(scheme)://\(host.lowercased())" + (isUsual ? "" : port.map { ":\($0)" } ?? "")
    }
}
