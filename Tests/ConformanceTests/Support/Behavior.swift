// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

/// The behavior of a ``ConformanceProvider``, which is correct except for the changes of a test.
struct Behavior: Sendable {
    /// The members of a JSON object by name.
    typealias Members = [String: JSONNode]
    /// Changes a document before it is sent.
    typealias Change = @Sendable (inout Members) -> Void

    /// The algorithm of the ID tokens.
    var algorithm = JWSAlgorithm.rs256
    /// Changes the metadata document.
    var metadata: Change = { _ in }
    /// Changes the claims of the ID token at sign-in.
    var idToken: Change = { _ in }
    /// Changes the claims of the ID token that a refresh returns.
    var refreshedIDToken: Change = { _ in }
    /// Changes the user information.
    var userInfo: Change = { _ in }
    /// Signs the claims of the ID token.
    var sign: @Sendable (_ claims: [UInt8], _ key: JWSSigningKey) throws -> String = {
        try $1.sign(payload: $0, type: "JWT")
    }
    /// Signs the user information, or nil to send it as plain JSON.
    var signUserInfo: (@Sendable (_ claims: [UInt8], _ key: JWSSigningKey) throws -> String)?
    /// Returns the published keys for the current key.
    var keys: @Sendable (_ key: JSONNode) throws -> [JSONNode] = { [$0] }
    /// Returns the `state` of a logout redirect for the state in the request, or nil to omit it.
    var logoutState: @Sendable (_ sent: String?) -> String? = { $0 }
    /// Changes the parameters of the authorization response, or the claims if it is signed.
    var authorizationResponse: Change = { _ in }
    /// Signs the claims of the authorization response (JARM).
    var signResponse: @Sendable (_ claims: [UInt8], _ key: JWSSigningKey) throws -> String = {
        try $1.sign(payload: $0, type: "oauth-authz-resp+jwt")
    }
    /// Changes the token response.
    var tokenResponse: Change = { _ in }
    /// The beginning of the nonces that DPoP proofs must contain, or nil to require none.
    var dpopNonce: String?
    /// The name of the scheme in the challenge for a DPoP proof.
    var challengeScheme = "DPoP"
    /// Decrypts tokens for the relying party.
    var decrypt: JWTPolicy.Decryption?
    /// Whether the key is rotated just before each ID token except the first is signed.
    var rotatesBeforeSigning = false
}

extension JSONNode {
    /// Returns an object with these members, sorted by name.
    static func members(_ members: Behavior.Members) -> JSONNode {
        .object(members.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: $0.value) })
    }

    /// Returns the object with one member removed or replaced.
    func with(_ name: String, _ value: JSONNode? = nil) -> JSONNode {
        guard case .object(let members) = self else { return self }
        let added = value.map { [JSONMember(name: name, value: $0)] } ?? []
        return .object(members.filter { $0.name != name } + added)
    }
}
