// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON

/// A code that came back to its own attempt.
///
/// There is no public initializer: only ``PendingAuthorization`` makes one.
///
/// - SeeAlso: [RFC 6749, section 4.1.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.2)
public struct AuthorizationResponse: Sendable {
    /// `code`.
    public let code: Secret
    /// The ID token that came beside the code, validated; nil but in the hybrid flow.
    public let idToken: ValidatedIDToken?
    let binding: AuthorizationBinding

    /// The provider that answered.
    public var issuer: Issuer { self.binding.issuer }
    /// What was asked for.
    public var request: AuthorizationRequest { self.binding.request }
    /// The key that the code is bound to, the only one that can exchange it; nil where it is bound to none.
    public var dpopKey: DPoPKey? { self.binding.dpopKey }

    /// What the nonce of the ID token has to be: the one that was sent, none where none was.
    public var nonceRule: IDTokenPolicy.NonceRule { self.binding.nonceRule }
}

/// What a response that belongs to its authorization rests on.
enum AuthorizationEvidence: Sendable {
    /// A code, for which state and issuer vouch.
    case code(Secret)
    /// A token that contains everything (JARM), not verified.
    case signedResponse(Secret)
    /// An ID token, not verified, with the code next to it (hybrid flow).
    case idToken(Secret, code: Secret)
}

extension AuthorizationDraft {
    /// The secrets of the attempt, and those that came to the redirect URI.
    private func secrets(_ parameters: FormParameters) -> CarriedSecrets {
        CarriedSecrets([self.state, self.binding.nonce] + self.parameters.secrets + parameters.secrets)
    }

    /// Returns what the parameters of a response to this authorization rest on.
    func evidence(in parameters: FormParameters) throws -> AuthorizationEvidence {
        do {
            let request = self.binding.request
            guard !request.effectiveResponseMode.isJWT else {
                guard let response = parameters["response"] else {
                    throw Self.noCode("a signed response, as was asked for", "plain parameters")
                }
                if let iss = parameters["iss"] { try self.checkIssuer(iss) }
                return .signedResponse(Secret(response))
            }
            let code = try self.code(parameters)
            guard request.responseType == .codeIDToken else { return .code(code) }
            guard let idToken = parameters["id_token"], !idToken.isEmpty else {
                throw ProtocolViolationError(
                    .idTokenMissing,
                    expected: "an id_token beside the code",
                    section: "OpenID Connect Core 1.0, section 3.3.2.5"
                )
            }
            return .idToken(Secret(idToken), code: code)
        } catch {
            throw self.secrets(parameters).removed(from: error)
        }
    }

    /// Verifies the signature that a response rests on, and what is signed.
    func validated(
        _ evidence: AuthorizationEvidence,
        _ issuerAliases: [String],
        keys: () async throws -> KeySetCache
    ) async throws -> AuthorizationResponse {
        do {
            switch evidence {
            case .code(let code):
                return AuthorizationResponse(code: code, idToken: nil, binding: self.binding)
            case .signedResponse(let token):
                let claims = try await keys().validate(token, policy: self.signedResponsePolicy).claims.document
                let code = try self.code(FormParameters(claims))
                return AuthorizationResponse(code: code, idToken: nil, binding: self.binding)
            case .idToken(let token, let code):
                let policy = self.idTokenPolicy(code: code, issuerAliases)
                let idToken = try await keys().validate(token, policy: policy)
                return AuthorizationResponse(code: code, idToken: idToken, binding: self.binding)
            }
        } catch {
            throw self.secrets(evidence.parameters).removed(from: error)
        }
    }

    private var signedResponsePolicy: JWTPolicy {
        JWTPolicy(
            name: "the authorization response",
            section: "JARM, section 2.4",
            types: ["jwt", "oauth-authz-resp+jwt"],
            algorithms: self.client.client.authorizationResponseAlgorithms(
                supported: self.client.metadata.authorizationSigningAlgValuesSupported
            ),
            issuer: self.client.metadata.issuer,
            audiences: [self.client.client.clientID],
            requiredClaims: ["exp"]
        )
    }

    private func idTokenPolicy(code: Secret, _ issuerAliases: [String]) -> IDTokenPolicy {
        let metadata = self.client.metadata
        var policy = IDTokenPolicy(
            issuer: metadata.issuer,
            issuerAliases: issuerAliases,
            clientID: self.client.client.clientID,
            algorithms: self.client.client.idTokenAlgorithms(supported: metadata.idTokenSigningAlgValuesSupported),
            nonce: .absent
        )
        policy.bind(to: self.binding, code: code)
        policy.requiresCodeHash = true
        policy.state = self.state
        return policy
    }

    /// The code, or the error, or what is wrong with the parameters.
    private func code(_ parameters: FormParameters) throws -> Secret {
        try self.checkIssuer(parameters["iss"])
        if let code = parameters["error"] {
            throw OAuthError(
                OAuthError.Code(rawValue: code.isEmpty ? "invalid_request" : code),
                serverDescription: parameters["error_description"],
                errorURI: parameters["error_uri"]
            )
        }
        if parameters["response"] != nil {
            throw Self.noCode("plain parameters", "a JARM response that was not asked for")
        }
        let isHybrid = self.binding.request.responseType == .codeIDToken
        let unasked = ["access_token", "token_type"] + (isHybrid ? [] : ["id_token"])
        if let name = unasked.first(where: { parameters[$0] != nil }) {
            throw Self.noCode("a code and no other token than was asked for", name)
        }
        guard let code = parameters["code"] else { throw Self.noCode("a code or an error", "neither") }
        guard !code.isEmpty, code.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Self.noCode(
                "a code of printable ASCII characters",
                code.isEmpty ? "an empty code" : "other characters"
            )
        }
        return Secret(code)
    }

    /// RFC 9207, section 2.4: an `iss` has to be ours, announced or not; announced, it has to be there.
    private func checkIssuer(_ iss: String?) throws {
        let metadata = self.client.metadata
        if iss == nil, !metadata.authorizationResponseIssParameterSupported { return }
        guard let iss, iss.isExactly(metadata.issuer.url) else {
            throw ProtocolViolationError(
                .redirectIssuer,
                expected: "iss to be \"\(metadata.issuer.url)\"",
                actual: iss.map { "\"\($0)\"" } ?? "none"
            )
        }
    }

    private static func noCode(_ expected: String, _ actual: String) -> ProtocolViolationError {
        ProtocolViolationError(.authorizationCode, expected: expected, actual: actual)
    }
}

extension AuthorizationEvidence {
    /// The parameters of the response, verified or not.
    fileprivate var parameters: FormParameters {
        var parameters = FormParameters()
        switch self {
        case .code(let code):
            parameters.append("code", code.withUnredacted { $0 })
        case .signedResponse(let token):
            let claims = token.withUnredacted { try? CompactJWS(parsing: $0).claims() }
            return claims.map { FormParameters($0) } ?? parameters
        case .idToken(let token, let code):
            parameters.append("id_token", token.withUnredacted { $0 })
            parameters.append("code", code.withUnredacted { $0 })
        }
        return parameters
    }
}

extension FormParameters {
    /// The members of an object that are strings.
    fileprivate init(_ object: JSONValue) {
        self.init()
        guard let members = object.members else { return }
        for member in members { self.append(member.name, member.value.string) }
    }
}

extension IDTokenPolicy {
    /// Takes over what an attempt demands of its ID token: the nonce, `max_age`, claims that were asked for as
    /// essential, and the code for `c_hash`.
    public mutating func bind(to response: AuthorizationResponse) {
        self.bind(to: response.binding, code: response.code)
    }

    mutating func bind(to binding: AuthorizationBinding, code: Secret) {
        self.nonce = binding.nonceRule
        self.maxAge = binding.request.maxAge
        self.essentialACRValues = binding.request.claims.essentialACRValues
        self.requiresAuthenticationTime = binding.request.claims.requiresAuthenticationTime
        self.code = code
    }
}
