// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes

/// A resource said no: the `Bearer` or `DPoP` challenge of its 401 or 403.
///
/// - SeeAlso: [RFC 6750, section 3](https://www.rfc-editor.org/rfc/rfc6750.html#section-3),
///   [RFC 9728, section 5.1](https://www.rfc-editor.org/rfc/rfc9728.html#section-5.1),
///   [RFC 9449, section 7.1](https://www.rfc-editor.org/rfc/rfc9449.html#section-7.1)
public struct BearerChallengeError: ErrorGuidance, Sendable, Hashable {
    /// The HTTP status, 401 or 403.
    public let status: Int
    /// The scheme of the challenge: which kind of token the resource speaks of.
    public let tokenType: TokenType
    /// `error`: `invalid_token`, `insufficient_scope`, `invalid_request`, for `DPoP` also `use_dpop_nonce`; or nothing.
    public private(set) var error: String?
    /// `error_description`: the server's own text.
    public private(set) var serverDescription: String?
    /// `scope`: what the resource would need, without what cannot be a scope (RFC 6749, section 3.3).
    public private(set) var scope: [Scope]
    /// `realm`.
    public private(set) var realm: String?
    /// `resource_metadata`: where the resource says which servers it takes tokens from; not checked yet, see
    /// ``ProtectedResourceMetadataRequest``.
    public private(set) var resourceMetadata: String?

    /// `algs`: the algorithms by which `DPoP` proofs may be signed; empty where it is not said.
    public private(set) var algorithms: [String]

    /// Reads the challenge of a response; nil where there is none.
    ///
    /// Of several challenges, as an API for both kinds of tokens sends them, the first with an `error` counts, else the
    /// first.
    public init?(_ response: HTTPResponse) {
        let values = response.headerFields[values: .wwwAuthenticate]
        let challenges = values.flatMap { AuthenticationChallenge.parse($0) }
        let readable = challenges.compactMap { challenge -> (TokenType, AuthenticationChallenge)? in
            [TokenType.bearer, .dpop].first { $0.rawValue.lowercased() == challenge.scheme.lowercased() }
                .map { ($0, challenge) }
        }
        guard let (type, challenge) = readable.first(where: { $0.1.parameters["error"] != nil }) ?? readable.first
        else {
            return nil
        }
        self.status = Int(response.status.code)
        self.tokenType = type
        self.error = challenge.parameters["error"]
        self.serverDescription = challenge.parameters["error_description"]
        let scopes = challenge.parameters["scope"].map(ScopeList.scopes) ?? []
        self.scope = scopes.filter { ScopeList.isScopeToken($0.rawValue) }
        self.realm = challenge.parameters["realm"]
        self.resourceMetadata = challenge.parameters["resource_metadata"]
        self.algorithms = challenge.parameters["algs"]?.split(separator: " ").map(String.init) ?? []
    }

    /// The same refusal without the secrets that the resource repeated.
    package func without(_ secrets: CarriedSecrets) -> BearerChallengeError {
        var challenge = self
        challenge.error = self.error.map { secrets.removed(fromName: $0) }
        challenge.serverDescription = self.serverDescription.map { secrets.removed(from: $0) }
        challenge.realm = self.realm.map { secrets.removed(from: $0) }
        challenge.scope = self.scope.map { Scope(rawValue: secrets.removed(fromName: $0.rawValue)) }
        challenge.resourceMetadata = self.resourceMetadata.map { secrets.removed(from: $0) }
        challenge.algorithms = self.algorithms.map { secrets.removed(fromName: $0) }
        return challenge
    }

    /// Whether more scopes, not another token, would help.
    public var isInsufficientScope: Bool { self.error == "insufficient_scope" }
    /// One line: what the resource said.
    public var description: String {
        let error = UntrustedText.printable(self.error ?? "no reason given")
        let words = self.serverDescription.map { ": " + UntrustedText.printable($0) } ?? ""
        return "The API refused the call (HTTP \(self.status), \(error))\(words)"
    }
    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        guard self.isInsufficientScope else { return "Sign in again if it stays so; the token may have been revoked." }
        let scopes = UntrustedText.printable(self.scope.map(\.rawValue).joined(separator: " "))
        return "Ask the person for more scopes" + (scopes.isEmpty ? "." : ": " + scopes)
    }
}
