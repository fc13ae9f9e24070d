// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Synchronization
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth

extension ScriptedProvider {
    /// The honest answer to a request.
    func answer(_ request: RecordedRequest) throws -> ScriptedAnswer {
        let origin = "\(request.head.scheme ?? "")://\(request.head.authority ?? "")"
        guard origin == Self.issuer else {
            guard origin == Self.api else { throw TransportError(.nameResolution, host: request.head.authority) }
            return self.subject(request) == nil ? Self.refusal : .json("{}")
        }
        return switch request.path {
        case "/.well-known/openid-configuration": .json(self.metadata)
        case "/keys": .json(JSONNode.object([JSONMember(name: "keys", value: [self.signingKey.publicJWK])]).text())
        case "/token": try self.token(request)
        case "/revoke": self.revoke(request)
        case "/userinfo": self.userInformation(request)
        default: .status(.notFound)
        }
    }

    private static var refusal: ScriptedAnswer {
        .status(.unauthorized, headerFields: [.wwwAuthenticate: #"Bearer error="invalid_token""#])
    }

    private var metadata: String {
        let missing = self.options.missingMetadata
        let members: [JSONMember] = [
            JSONMember(name: "issuer", value: .string(Self.issuer)),
            JSONMember(name: "authorization_endpoint", value: .string(Self.issuer + "/authorize")),
            JSONMember(name: "token_endpoint", value: .string(Self.issuer + "/token")),
            JSONMember(name: "jwks_uri", value: .string(Self.issuer + "/keys")),
            JSONMember(name: "userinfo_endpoint", value: .string(Self.issuer + "/userinfo")),
            JSONMember(name: "revocation_endpoint", value: .string(Self.issuer + "/revoke")),
            JSONMember(name: "code_challenge_methods_supported", value: ["S256"]),
            JSONMember(name: "token_endpoint_auth_methods_supported", value: ["client_secret_post"]),
            JSONMember(name: "authorization_response_iss_parameter_supported", value: true),
        ]
        return JSONNode.object(members.filter { !missing.contains($0.name) }).text()
    }

    /// Whose valid access token the request carries.
    private func subject(_ request: RecordedRequest) -> String? {
        guard let field = request.head.headerFields[.authorization], field.hasPrefix("Bearer ") else { return nil }
        let now = self.clock.date
        return self.state.withLock { state in
            guard let token = state.accessTokens[String(field.dropFirst(7))], now < token.expiresAt,
                !state.consents[token.consent].isRevoked
            else { return nil }
            return state.consents[token.consent].subject
        }
    }

    private func userInformation(_ request: RecordedRequest) -> ScriptedAnswer {
        guard let subject = self.subject(request) else { return Self.refusal }
        return .json(JSONNode.object([JSONMember(name: "sub", value: .string(subject))]).text())
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
