// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJOSE
internal import TesseraJSON

extension PendingAuthorization {
    /// Returns whether a response belongs to this authorization; see ``mismatch(_:)``.
    public func matches(_ response: DeliveredResponse) -> Bool { self.mismatch(response) == nil }

    /// Returns why a response does not belong to this authorization, or nil if it does.
    ///
    /// A response belongs to it if it arrived at its redirect URI, in the requested mode, with its `state`. A signed response
    /// has the state inside, which is read before the signature is verified. Anything else may be forged, or be the response
    /// to another request, and changes nothing: a forged `?error=…` ends no sign-in. Neither does this method change anything.
    public func mismatch(_ response: DeliveredResponse) -> ProtocolViolationError? {
        do throws(ProtocolViolationError) {
            _ = try self.parameters(of: response)
            return nil
        } catch {
            return error
        }
    }

    /// Receives the response to this authorization, once.
    ///
    /// - Parameters:
    ///   - response: What arrived.
    ///   - issuerAliases: Other spellings of `iss` that the provider is known to use in ID tokens.
    ///   - keys: Returns the provider's keys. It is called only for a response that rests on a signature (JARM, hybrid flow).
    ///     Nil takes them from the `jwks_uri` of the provider's metadata.
    /// - Returns: The response with its code, verified.
    /// - Throws: The violation of ``mismatch(_:)``, which leaves the authorization open. Everything else is final:
    ///   ``OAuthError`` if the provider or the user denied the request; `redirectReuse` if the authorization has received a
    ///   response, is closed, or has reached its deadline; `ProtocolViolationError` for a response that breaks the protocol
    ///   (another issuer, a token in the front channel, no code) or whose signature cannot be trusted; the errors of `keys`.
    /// - SeeAlso: [RFC 6749, section 10.12](https://www.rfc-editor.org/rfc/rfc6749.html#section-10.12),
    ///   [JARM, section 2.4](https://openid.net/specs/oauth-v2-jarm-final.html#section-2.4),
    ///   [OpenID Connect Core 1.0, section 3.3.2.12](https://openid.net/specs/openid-connect-core-1_0.html#HybridIDTValidation)
    public func receive(
        _ response: DeliveredResponse,
        issuerAliases: [String] = [],
        keys: (() async throws -> KeySetCache)? = nil
    ) async throws -> AuthorizationResponse {
        let evidence = try self.claim(response)
        return try await self.draft.validated(evidence, issuerAliases) {
            if let keys { return try await keys() }
            let client = self.draft.client
            return KeySetCache(try client.metadata.require(\.jwksURI, "jwks_uri"), runtime: client.runtime)
        }
    }

    /// Takes a response that belongs to this authorization, which receives no other from then on.
    func claim(_ response: DeliveredResponse) throws -> AuthorizationEvidence {
        let parameters = try self.parameters(of: response)
        guard self.draft.client.runtime.uptime() < self.draft.deadline, self.claim() else {
            throw ProtocolViolationError(
                .redirectReuse,
                expected: "one redirect, while the attempt is open",
                section: "RFC 9700, section 4.2.4"
            )
        }
        return try self.draft.evidence(in: parameters)
    }

    private func parameters(of response: DeliveredResponse) throws(ProtocolViolationError) -> FormParameters {
        let mode = self.request.effectiveResponseMode
        let parameters = try self.request.redirectURI.parameters(of: response, mode: mode)
        var state = parameters["state"]
        if mode.isJWT, let signed = parameters["response"] {
            // Nothing in there is trusted before its signature is verified; only our own state is looked for.
            state = try CompactJWS(parsing: signed).claims()["state"]?.string
        }
        guard let state, self.draft.state.withUnredacted({ ConstantTime.equal(state, $0) }) else {
            throw ProtocolViolationError(
                .state,
                expected: "the state of this attempt",
                actual: state == nil ? "none" : "another state",
                section: "RFC 6749, section 10.12"
            )
        }
        return parameters
    }
}
