// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
public import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// What a proof of possession says: that whoever has the key makes exactly this request, now.
///
/// - SeeAlso: [RFC 9449, section 4.2](https://www.rfc-editor.org/rfc/rfc9449.html#section-4.2)
public struct DPoPProof: Sendable, Hashable {
    /// `htm`: the request's method, as it is sent.
    public let method: String
    /// `htu`: the request's URL without query and fragment; scheme and host in lower case, the usual port left out.
    public let url: String
    /// `nonce`: what the server gave for the next proof.
    public let nonce: String?
    /// `ath`: the hash of the access token that the request carries to a resource; nil at an authorization server.
    public let accessTokenHash: String?

    /// What a proof for a request says.
    ///
    /// - Throws: ``InvalidRequestError`` for a request without an absolute URL.
    public init(
        for request: HTTPRequest,
        accessToken: Secret? = nil,
        nonce: String? = nil
    ) throws(InvalidRequestError) {
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
    public func signed(by key: DPoPKey, runtime: OAuthRuntime) throws -> Secret {
        var claims = [
            JSONMember(name: "jti", value: .string(Base64URL.encode(runtime.randomBytes(16)))),
            JSONMember(name: "htm", value: .string(self.method)),
            JSONMember(name: "htu", value: .string(self.url)),
            JSONMember(name: "iat", value: .integer(Int64(runtime.now().timeIntervalSince1970) - 1)),
        ]
        if let accessTokenHash { claims.append(JSONMember(name: "ath", value: .string(accessTokenHash))) }
        if let nonce { claims.append(JSONMember(name: "nonce", value: .string(nonce))) }
        return try key.sign(JSONNode.object(claims).serialized())
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
