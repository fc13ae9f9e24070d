// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

extension ScriptedProvider {
    /// Returns the default response to a request.
    func response(_ request: RecordedRequest) throws -> ScriptedResponse {
        let origin = "\(request.head.scheme ?? "")://\(request.head.authority ?? "")"
        guard origin == Self.issuer else {
            guard origin == Self.api else { throw TransportError(.nameResolution, host: request.head.authority) }
            return try self.resource(request) { _ in .json("{}") }
        }
        return switch request.path {
        case "/.well-known/openid-configuration": .json(self.metadata)
        case "/keys": .json((["keys": [self.signingKey.publicJWK]] as JSONNode).text())
        case "/token": try self.token(request)
        case "/revoke": self.revoke(request)
        case "/userinfo":
            try self.resource(request) { .json((["sub": .string($0)] as JSONNode).text()) }
        default: .status(.notFound)
        }
    }

    /// Returns a protected resource's response, or a 401 response if the access token is not valid.
    private func resource(
        _ request: RecordedRequest,
        _ response: (_ subject: String) -> ScriptedResponse
    ) throws -> ScriptedResponse {
        let field = request.head.headerFields[.authorization] ?? ""
        guard let space = field.firstIndex(of: " ") else { return Self.refusal("Bearer", "invalid_token") }
        let (scheme, text) = (String(field[..<space]), String(field[field.index(after: space)...]))
        let now = self.clock.date
        let (token, consents, options) = self.state.withLock { ($0.accessTokens[text], $0.consents, $0.options) }
        guard let token, now < token.expiresAt, !consents[token.consent].isRevoked,
            scheme == (token.thumbprint == nil ? "Bearer" : "DPoP")
        else { return Self.refusal(options.supportsDPoP ? "DPoP" : "Bearer", "invalid_token") }
        let nonce = request.url.hasPrefix(Self.api) ? options.apiNonce : options.providerNonce
        if let thumbprint = token.thumbprint {
            do {
                guard try self.thumbprint(of: request, accessToken: text, nonce: nonce) == thumbprint else {
                    return Self.refusal("DPoP", "invalid_token")
                }
            } catch let error as ProofError {
                return Self.refusal("DPoP", error.rawValue).giving(nonce)
            }
        }
        return response(consents[token.consent].subject).giving(token.thumbprint == nil ? nil : nonce)
    }

    private static func refusal(_ scheme: String, _ error: String) -> ScriptedResponse {
        .status(.unauthorized, headerFields: [.wwwAuthenticate: #"\#(scheme) error="\#(error)""#])
    }

    private var metadata: String {
        let missing = self.options.missingMetadata
        let members = JSONMember.list([
            "issuer": .string(Self.issuer), "authorization_endpoint": .string(Self.issuer + "/authorize"),
            "token_endpoint": .string(Self.issuer + "/token"), "jwks_uri": .string(Self.issuer + "/keys"),
            "userinfo_endpoint": .string(Self.issuer + "/userinfo"),
            "revocation_endpoint": .string(Self.issuer + "/revoke"),
            "end_session_endpoint": .string(Self.issuer + "/logout?t=1"),
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
            "authorization_response_iss_parameter_supported": true,
            "dpop_signing_alg_values_supported": self.options.supportsDPoP ? ["ES256"] : nil,
        ])
        return JSONNode.object(members.filter { !missing.contains($0.name) }).text()
    }

    private func revoke(_ request: RecordedRequest) -> ScriptedResponse {
        self.state.withLock { state in
            let token = request.formValue("token") ?? ""
            if let consent = state.refreshTokens[token]?.consent ?? state.accessTokens[token]?.consent {
                state.consents[consent].isRevoked = true
            }
        }
        return .status(.ok)
    }
}

extension JSONMember {
    /// Returns the members that have a value.
    static func list(_ members: KeyValuePairs<String, JSONNode?>) -> [JSONMember] {
        members.compactMap { name, value in value.map { JSONMember(name: name, value: $0) } }
    }
}
