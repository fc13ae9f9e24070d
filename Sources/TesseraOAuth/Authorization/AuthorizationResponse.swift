// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON

/// An authorization code that was received in response to a ``PendingAuthorization``.
///
/// Only ``PendingAuthorization`` creates this value, after verifying the response.
///
/// - SeeAlso: [RFC 6749, section 4.1.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-4.1.2)
public struct AuthorizationResponse: Sendable {
    /// The authorization code (`code`).
    public let code: Secret
    /// The validated ID token that was returned with the code in the hybrid flow, or nil in any other flow.
    public let idToken: ValidatedIDToken?
    let binding: AuthorizationBinding

    /// The provider that issued the code.
    public var issuer: Issuer { self.binding.issuer }
    /// The authorization request.
    public var request: AuthorizationRequest { self.binding.request }
    /// The only key that can exchange the code, or nil if the code is not bound to a key.
    public var dpopKey: DPoPKey? { self.binding.dpopKey }

    /// The nonce rule for the ID token.
    ///
    /// If the request sent a nonce, the token must contain it. Otherwise, it must not contain one.
    public var nonceRule: IDTokenPolicy.NonceRule { self.binding.nonceRule }
}

/// An authorization response before its signature has been verified.
enum UnverifiedAuthorizationResponse: Sendable {
    /// A code without a signature. Its `state` and `iss` have been checked.
    case code(Secret)
    /// An unverified JWT that contains all parameters (JARM).
    case signedResponse(Secret)
    /// An unverified ID token and a code (hybrid flow).
    case idToken(Secret, code: Secret)
}

extension PreparedAuthorizationRequest {
    /// Returns the secrets in the request and the response.
    private func secrets(_ parameters: FormParameters) -> ExchangeSecrets {
        ExchangeSecrets([self.state, self.binding.nonce] + self.parameters.secrets + parameters.secrets)
    }

    /// Returns the code or token in the parameters of a response, before any signature is verified.
    func evidence(in parameters: FormParameters) throws -> UnverifiedAuthorizationResponse {
        do {
            let request = self.binding.request
            guard !request.effectiveResponseMode.isJWT else {
                guard let response = parameters["response"] else {
                    throw Self.noCode("the requested signed response", "unsigned parameters")
                }
                if let iss = parameters["iss"] { try self.checkIssuer(iss) }
                return .signedResponse(Secret(response))
            }
            let code = try self.code(parameters)
            guard request.responseType == .codeIDToken else { return .code(code) }
            guard let idToken = parameters["id_token"], !idToken.isEmpty else {
                throw ProtocolViolationError(
                    .idTokenMissing,
                    expected: "an id_token with the code",
                    section: "OpenID Connect Core 1.0, section 3.3.2.5"
                )
            }
            return .idToken(Secret(idToken), code: code)
        } catch {
            throw self.secrets(parameters).removed(from: error)
        }
    }

    /// Verifies the signature of a response, if it has one, and returns the validated response.
    func validated(
        _ evidence: UnverifiedAuthorizationResponse,
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
            nonce: .absent,
            decrypt: self.client.runtime.decrypt
        )
        policy.bind(to: self.binding, code: code)
        policy.requiresCodeHash = true
        policy.state = self.state
        return policy
    }

    /// Returns the code, or throws the error in the response.
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
            throw Self.noCode("unsigned parameters", "a signed response that was not requested")
        }
        let isHybrid = self.binding.request.responseType == .codeIDToken
        let unrequested = ["access_token", "token_type"] + (isHybrid ? [] : ["id_token"])
        if let name = unrequested.first(where: { parameters[$0] != nil }) {
            throw Self.noCode("a code and only the requested tokens", name)
        }
        guard let code = parameters["code"] else { throw Self.noCode("a code or an error", "neither") }
        guard !code.isEmpty, code.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Self.noCode(
                "a code that contains only printable ASCII characters",
                code.isEmpty ? "an empty code" : "other characters"
            )
        }
        return Secret(code)
    }

    /// Checks that `iss` is the provider's issuer identifier.
    ///
    /// It can be missing only if the provider's metadata does not announce it (RFC 9207, section 2.4) and the client
    /// has no security profile.
    private func checkIssuer(_ iss: String?) throws {
        let metadata = self.client.metadata
        let isRequired =
            metadata.authorizationResponseIssParameterSupported || self.client.client.securityProfile != nil
        if iss == nil, !isRequired { return }
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

extension UnverifiedAuthorizationResponse {
    /// The response parameters, which may not be verified yet.
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
    /// Creates parameters from the string members of a JSON object, at most as many as a redirect can have.
    fileprivate init(_ object: JSONValue) {
        self.init()
        guard let members = object.members else { return }
        for member in members.prefix(Self.limit) { self.append(member.name, member.value.string) }
    }
}

extension IDTokenPolicy {
    /// Applies an authorization request's requirements: its nonce, `max_age` and essential claims, and the code for
    /// `c_hash`.
    public mutating func bind(to response: AuthorizationResponse) {
        self.bind(to: response.binding, code: response.code)
    }

    mutating func bind(to binding: AuthorizationBinding, code: Secret) {
        self.nonce = binding.nonceRule
        self.maxAge = binding.request.maxAge
        self.bind(to: binding.request.claims)
        self.code = code
    }

    /// Applies a request's essential claims.
    package mutating func bind(to claims: ClaimsRequest) {
        self.essentialACRValues = claims.essentialACRValues
        self.requiresAuthenticationTime = claims.requiresAuthenticationTime
    }
}
