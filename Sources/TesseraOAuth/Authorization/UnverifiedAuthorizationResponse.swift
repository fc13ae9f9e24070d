// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON

/// An answer that came to its own attempt and rests on a signature: a signed response, or a code with an ID token.
///
/// There is no code to be had of it but by ``validated(with:issuerAliases:)``.
///
/// - SeeAlso: [JARM, section 2.4](https://openid.net/specs/oauth-v2-jarm.html#section-2.4)
public struct UnverifiedAuthorizationResponse: Sendable {
    enum Evidence: Sendable {
        /// Everything is in the token (JARM).
        case signedResponse(Secret)
        /// The code is beside the token (hybrid flow).
        case idToken(Secret, code: Secret)
    }

    let draft: AuthorizationDraft
    let evidence: Evidence

    /// Checks the signature and what is signed.
    ///
    /// May be called again where the keys could not be fetched.
    ///
    /// - Parameters:
    ///   - keys: the provider's keys.
    ///   - issuerAliases: other spellings of `iss` that the provider is known to use in ID tokens.
    /// - Returns: the response, with its code.
    /// - Throws: what ``KeySetCache`` throws for a token that must not be trusted or keys that cannot be had;
    ///   ``OAuthError`` where a signed response says no; `redirectIssuer` and `authorizationCode` for a signed response
    ///   that breaks the protocol.
    /// - SeeAlso: [JARM, section 2.4](https://openid.net/specs/oauth-v2-jarm-final.html#section-2.4),
    ///   [OpenID Connect Core 1.0, section 3.3.2.12](https://openid.net/specs/openid-connect-core-1_0.html#HybridIDTValidation)
    public func validated(
        with keys: KeySetCache,
        issuerAliases: [String] = []
    ) async throws -> AuthorizationResponse {
        do {
            return try await self.response(keys, issuerAliases)
        } catch {
            throw self.draft.secrets(self.evidence.parameters).removed(from: error)
        }
    }

    private func response(_ keys: KeySetCache, _ issuerAliases: [String]) async throws -> AuthorizationResponse {
        let (client, metadata) = (self.draft.client.client, self.draft.client.metadata)
        switch self.evidence {
        case .signedResponse(let token):
            let policy = JWTPolicy(
                name: "the authorization response",
                section: "JARM, section 2.4",
                types: ["jwt", "oauth-authz-resp+jwt"],
                algorithms: client.authorizationResponseAlgorithms(
                    supported: metadata.authorizationSigningAlgValuesSupported
                ),
                issuer: metadata.issuer,
                audiences: [client.clientID],
                requiredClaims: ["exp"]
            )
            let claims = try await keys.validate(token, policy: policy).claims.document
            return self.response(try self.draft.code(FormParameters(claims)), idToken: nil)
        case .idToken(let token, let code):
            var policy = IDTokenPolicy(
                issuer: metadata.issuer,
                issuerAliases: issuerAliases,
                clientID: client.clientID,
                algorithms: client.idTokenAlgorithms(supported: metadata.idTokenSigningAlgValuesSupported),
                nonce: .absent
            )
            policy.bind(to: self.draft.binding, code: code)
            policy.requiresCodeHash = true
            policy.state = self.draft.state
            return self.response(code, idToken: try await keys.validate(token, policy: policy))
        }
    }

    private func response(_ code: Secret, idToken: ValidatedIDToken?) -> AuthorizationResponse {
        AuthorizationResponse(code: code, idToken: idToken, binding: self.draft.binding)
    }
}

extension UnverifiedAuthorizationResponse.Evidence {
    /// What it says, believed or not.
    fileprivate var parameters: FormParameters {
        switch self {
        case .signedResponse(let token):
            let claims = token.withUnredacted { try? CompactJWS(parsing: $0).claims() }
            return claims.map { FormParameters($0) } ?? FormParameters()
        case .idToken(let token, let code):
            var parameters = FormParameters()
            parameters.append("id_token", token.withUnredacted { $0 })
            parameters.append("code", code.withUnredacted { $0 })
            return parameters
        }
    }
}

extension FormParameters {
    /// The texts among the members of an object.
    fileprivate init(_ object: JSONValue) {
        self.init()
        guard let members = object.members else { return }
        for member in members { self.append(member.name, member.value.string) }
    }
}
