// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON

/// What a ``ConformanceProvider`` does: right, but for what a test bends.
struct Behaviour: Sendable {
    /// The members of a document by name.
    typealias Members = [String: JSONNode]
    /// Changes a document before it is sent.
    typealias Bend = @Sendable (inout Members) -> Void

    /// The algorithm of the ID tokens.
    var algorithm = JWSAlgorithm.rs256
    /// Changes the metadata document.
    var metadata: Bend = { _ in }
    /// Changes the claims of the ID token at sign-in.
    var idToken: Bend = { _ in }
    /// Changes the claims of the ID token that a refresh brings.
    var refreshedIDToken: Bend = { _ in }
    /// Changes what the provider says about the person.
    var userInfo: Bend = { _ in }
    /// Makes the ID token of its claims.
    var sign: @Sendable (_ claims: [UInt8], _ key: JWSSigningKey) throws -> String = {
        try $1.sign(payload: $0, type: "JWT")
    }
    /// Makes a token of what the provider says about the person; nil sends it plain.
    var signUserInfo: (@Sendable (_ claims: [UInt8], _ key: JWSSigningKey) throws -> String)?
    /// The keys as they are published, of the present key.
    var keys: @Sendable (_ key: JSONNode) throws -> [JSONNode] = { [$0] }
    /// What comes back as `state` after a logout, of what was sent; nil leaves it out.
    var logoutState: @Sendable (_ sent: String?) -> String? = { $0 }
    /// Whether a new key takes over just before each ID token but the first is signed.
    var rotatesBeforeSigning = false
}

extension JSONNode {
    /// An object of these members, in the order of their names.
    static func members(_ members: Behaviour.Members) -> JSONNode {
        .object(members.sorted { $0.key < $1.key }.map { JSONMember(name: $0.key, value: $0.value) })
    }

    /// The object with one member left out or replaced.
    func with(_ name: String, _ value: JSONNode? = nil) -> JSONNode {
        guard case .object(let members) = self else { return self }
        let added = value.map { [JSONMember(name: name, value: $0)] } ?? []
        return .object(members.filter { $0.name != name } + added)
    }
}
