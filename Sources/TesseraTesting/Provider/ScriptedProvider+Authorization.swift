// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
public import TesseraOAuth

extension ScriptedProvider {
    /// Returns the redirect that the authorization endpoint sends if the user consents to a request.
    ///
    /// - Parameters:
    ///   - url: The authorization URL.
    ///   - scopes: The scopes that the user leaves selected, or `nil` for all.
    ///   - subject: The user's subject identifier.
    /// - Returns: The redirect URL.
    /// - Throws: `InvalidRequestError` if a real provider would show an error page for the request instead of
    ///   redirecting.
    public func consent(to url: String, granting scopes: [Scope]? = nil, as subject: String = "ada") throws -> String {
        let parameters = FormParameter.parse(String(url.drop { $0 != "?" }.dropFirst()))
        func value(_ name: String) throws -> String {
            let values = parameters.filter { $0.name == name }
            guard values.count == 1 else { throw InvalidRequestError(name, reason: "it must be present exactly once") }
            return values[0].value
        }
        guard url.hasPrefix(Self.issuer + "/authorize?"), try value("client_id") == Self.clientID,
            try value("response_type") == "code", try value("code_challenge_method") == "S256"
        else { throw InvalidRequestError("authorization", reason: "this is not a request for this provider") }
        let requested = try value("scope").split(separator: " ").map(String.init)
        let consent = Consent(
            subject: subject,
            scopes: scopes.map { scopes in scopes.map(\.rawValue) } ?? requested,
            nonce: parameters.first { $0.name == "nonce" }?.value,
            consentedAt: self.clock.date
        )
        let (challenge, redirectURI) = (try value("code_challenge"), try value("redirect_uri"))
        let code = self.state.withLock { state in
            state.consents.append(consent)
            let code = state.secret("code", marker: self.marker)
            state.codes[code] = Code(
                consent: state.consents.count - 1,
                challenge: challenge,
                redirectURI: redirectURI,
                thumbprint: parameters.first { $0.name == "dpop_jkt" }?.value
            )
            return code
        }
        return "\(redirectURI)?code=\(code)&state=\(try value("state"))&iss=https%3A%2F%2Fid.example"
    }

    /// Returns the redirect that the authorization endpoint sends if the user denies a request.
    ///
    /// - Throws: `InvalidRequestError` if the request has no redirect URI or no state.
    public func denial(of url: String) throws -> String {
        let parameters = FormParameter.parse(String(url.drop { $0 != "?" }.dropFirst()))
        guard let redirectURI = parameters.first(where: { $0.name == "redirect_uri" })?.value,
            let state = parameters.first(where: { $0.name == "state" })?.value
        else { throw InvalidRequestError("redirect_uri", reason: "it must be present, and so must state") }
        return "\(redirectURI)?error=access_denied&state=\(state)&iss=https%3A%2F%2Fid.example"
    }

    /// Returns a user agent that immediately consents to all requested scopes, or only to the given ones.
    public func userAgent(granting scopes: [Scope]? = nil, as subject: String = "ada") -> ScriptedUserAgent {
        ScriptedUserAgent { [try self.consent(to: $0, granting: scopes, as: subject)] }
    }
}
