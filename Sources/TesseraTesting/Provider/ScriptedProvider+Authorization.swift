// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
public import TesseraOAuth

extension ScriptedProvider {
    /// What the authorization endpoint sends the browser to when a person consents to a request.
    ///
    /// - Parameters:
    ///   - url: the authorization URL.
    ///   - scopes: what the person leaves ticked; nil for everything.
    ///   - subject: who the person is.
    /// - Returns: the redirect.
    /// - Throws: `InvalidRequestError` for a request that this provider would refuse on a page of its own.
    public func consent(to url: String, granting scopes: [Scope]? = nil, as subject: String = "ada") throws -> String {
        let parameters = FormParameter.parse(String(url.drop { $0 != "?" }.dropFirst()))
        func value(_ name: String) throws -> String {
            let values = parameters.filter { $0.name == name }
            guard values.count == 1 else { throw InvalidRequestError(name, reason: "it has to be there once") }
            return values[0].value
        }
        guard url.hasPrefix(Self.issuer + "/authorize?"), try value("client_id") == Self.clientID,
            try value("response_type") == "code", try value("code_challenge_method") == "S256"
        else { throw InvalidRequestError("authorization", reason: "not a request for this provider") }
        let asked = try value("scope").split(separator: " ").map(String.init)
        let consent = Consent(
            subject: subject,
            scopes: scopes.map { scopes in scopes.map(\.rawValue) } ?? asked,
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

    /// What the authorization endpoint sends the browser to when a person denies a request.
    ///
    /// - Throws: `InvalidRequestError` for a request without redirect URI or state.
    public func denial(of url: String) throws -> String {
        let parameters = FormParameter.parse(String(url.drop { $0 != "?" }.dropFirst()))
        guard let redirectURI = parameters.first(where: { $0.name == "redirect_uri" })?.value,
            let state = parameters.first(where: { $0.name == "state" })?.value
        else { throw InvalidRequestError("redirect_uri", reason: "it has to be there, and state too") }
        return "\(redirectURI)?error=access_denied&state=\(state)&iss=https%3A%2F%2Fid.example"
    }

    /// A person who consents to everything that is asked, in no time.
    public func userAgent(granting scopes: [Scope]? = nil, as subject: String = "ada") -> ScriptedUserAgent {
        ScriptedUserAgent { [try self.consent(to: $0, granting: scopes, as: subject)] }
    }
}
