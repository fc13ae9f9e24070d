// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

extension ScriptedProvider {
    /// The honest answer to a request.
    func answer(_ request: RecordedRequest) throws -> ScriptedAnswer {
        let origin = "\(request.head.scheme ?? "")://\(request.head.authority ?? "")"
        guard origin == Self.issuer else {
            guard origin == Self.api else { throw TransportError(.nameResolution, host: request.head.authority) }
            return try self.resource(request) { _ in .json("{}") }
        }
        return switch request.path {
        case "/.well-known/openid-configuration": .json(self.metadata)
        case "/keys": .json(JSONNode.object([JSONMember(name: "keys", value: [self.signingKey.publicJWK])]).text())
        case "/token": try self.token(request)
        case "/revoke": self.revoke(request)
        case "/userinfo":
            try self.resource(request) { .json(JSONNode.object([JSONMember(name: "sub", value: .string($0))]).text()) }
        default: .status(.notFound)
        }
    }

    /// What a resource answers about the person of the request's token, or why it refuses.
    private func resource(
        _ request: RecordedRequest,
        _ answer: (_ subject: String) -> ScriptedAnswer
    ) throws -> ScriptedAnswer {
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
        return answer(consents[token.consent].subject).giving(token.thumbprint == nil ? nil : nonce)
    }

    private static func refusal(_ scheme: String, _ error: String) -> ScriptedAnswer {
        .status(.unauthorized, headerFields: [.wwwAuthenticate: #"\#(scheme) error="\#(error)""#])
    }

    private var metadata: String {
        let missing = self.options.missingMetadata
        var members: [JSONMember] = [
            JSONMember(name: "issuer", value: .string(Self.issuer)),
            JSONMember(name: "authorization_endpoint", value: .string(Self.issuer + "/authorize")),
            JSONMember(name: "token_endpoint", value: .string(Self.issuer + "/token")),
            JSONMember(name: "jwks_uri", value: .string(Self.issuer + "/keys")),
            JSONMember(name: "userinfo_endpoint", value: .string(Self.issuer + "/userinfo")),
            JSONMember(name: "revocation_endpoint", value: .string(Self.issuer + "/revoke")),
            JSONMember(name: "end_session_endpoint", value: .string(Self.issuer + "/logout?t=1")),
            JSONMember(name: "code_challenge_methods_supported", value: ["S256"]),
            JSONMember(name: "token_endpoint_auth_methods_supported", value: ["client_secret_post"]),
            JSONMember(name: "authorization_response_iss_parameter_supported", value: true),
        ]
        if self.options.supportsDPoP {
            members.append(JSONMember(name: "dpop_signing_alg_values_supported", value: ["ES256"]))
        }
        return JSONNode.object(members.filter { !missing.contains($0.name) }).text()
    }

    private func revoke(_ request: RecordedRequest) -> ScriptedAnswer {
        self.state.withLock { state in
            let token = request.formValue("token") ?? ""
            if let consent = state.refreshTokens[token]?.consent ?? state.accessTokens[token]?.consent {
                state.consents[consent].isRevoked = true
            }
        }
        return .status(.ok)
    }
}
