// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TesseraSupport
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting

/// The endpoints of a run that a ``ScriptedProvider`` does not have.
///
/// Every secret they issue is unique.
enum CanaryEndpoints {
    private static let last = Mutex(0)

    /// Returns a number that was not used before.
    private static func number() -> Int {
        self.last.withLock { last in
            last += 1
            return last
        }
    }

    /// Returns a secret that was not used before.
    static func secret(_ kind: String) -> String { "\(CanaryRun.marker)-\(kind)-of-the-provider-\(self.number())" }

    /// Returns a scope that was not requested before.
    static func scope() -> Scope { Scope("scope-\(self.number())") }

    static let metadata: String = {
        let endpoints = [
            ("authorization_endpoint", "/authorize"), ("token_endpoint", "/token"), ("jwks_uri", "/keys"),
            ("userinfo_endpoint", "/userinfo"), ("revocation_endpoint", "/revoke"),
            ("introspection_endpoint", "/introspect"), ("device_authorization_endpoint", "/device"),
            ("backchannel_authentication_endpoint", "/ciba"), ("registration_endpoint", "/register"),
            ("pushed_authorization_request_endpoint", "/par"), ("end_session_endpoint", "/logout"),
        ]
        var members = endpoints.map { JSONMember(name: $0.0, value: .string(ScriptedProvider.issuer + $0.1)) }
        members += [
            JSONMember(name: "issuer", value: .string(ScriptedProvider.issuer)),
            JSONMember(name: "code_challenge_methods_supported", value: ["S256"]),
            JSONMember(name: "dpop_signing_alg_values_supported", value: ["ES256"]),
            JSONMember(name: "token_endpoint_auth_methods_supported", value: ["client_secret_post"]),
        ]
        return JSONNode.object(members).text()
    }()

    static func install(on network: ScriptedProvider) {
        network.intercept("/.well-known/openid-configuration") { _ in .json(self.metadata) }
        network.intercept("/par") { _ in
            .json(#"{"request_uri": "urn:example:\#(self.secret("pushed"))", "expires_in": 60}"#, status: .created)
        }
        network.intercept("/device") { _ in
            .json(
                #"{"device_code": "\#(self.secret("device"))", "user_code": "WDJB", "interval": 5, "expires_in": 600, "#
                    + #""verification_uri": "https://id.example/go"}"#
            )
        }
        network.intercept("/ciba") { _ in
            .json(#"{"auth_req_id": "\#(self.secret("ciba"))", "expires_in": 600, "interval": 5}"#)
        }
        network.intercept("/register") { request in try self.registration(request) }
        network.intercept("/registration") { request in
            request.head.method == .delete ? .status(.noContent) : try self.registration(request)
        }
        network.intercept("/introspect") { [network] request in try self.introspection(request, network) }
        network.intercept("/.well-known/oauth-protected-resource/v1") { _ in
            .json(#"{"resource": "https://api.example/v1", "authorization_servers": ["https://id.example"]}"#)
        }
        network.intercept("/token") { [network] request in try self.tokens(request, network) }
    }

    /// Issues tokens for the grants that ``ScriptedProvider`` does not support.
    private static func tokens(_ request: RecordedRequest, _ network: ScriptedProvider) throws -> ScriptedResponse? {
        let grantType = request.formValue("grant_type") ?? ""
        guard !["authorization_code", "refresh_token"].contains(grantType) else { return nil }
        var members = [
            JSONMember(name: "access_token", value: .string(self.secret("access"))),
            JSONMember(name: "refresh_token", value: .string(self.secret("refresh"))),
            JSONMember(name: "token_type", value: "Bearer"), JSONMember(name: "expires_in", value: 3_600),
            JSONMember(name: "issued_token_type", value: "urn:ietf:params:oauth:token-type:access_token"),
        ]
        if grantType.hasSuffix("device_code") || grantType.hasSuffix("ciba") {
            members.append(JSONMember(name: "id_token", value: .string(try self.idToken(network))))
        }
        return .json(JSONNode.object(members).text())
    }

    private static func idToken(_ network: ScriptedProvider) throws -> String {
        let now = Int64(network.clock.date.timeIntervalSince1970)
        return try network.sign([
            JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)), JSONMember(name: "sub", value: "ada"),
            JSONMember(name: "aud", value: "test-client"), JSONMember(name: "iat", value: .integer(now)),
            JSONMember(name: "exp", value: .integer(now + 600)),
        ])
    }

    private static func introspection(
        _ request: RecordedRequest,
        _ network: ScriptedProvider
    ) throws -> ScriptedResponse {
        let facts: [JSONMember] = [
            JSONMember(name: "active", value: true), JSONMember(name: "sub", value: "ada"),
            JSONMember(name: "scope", value: "read"),
        ]
        let type = "application/token-introspection+jwt"
        guard request.head.headerFields[.accept] == type else { return .json(JSONNode.object(facts).text()) }
        let claims = [
            JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)),
            JSONMember(name: "aud", value: "test-client"),
            JSONMember(name: "iat", value: .integer(Int64(network.clock.date.timeIntervalSince1970))),
            JSONMember(name: "token_introspection", value: .object(facts)),
        ]
        let payload = JSONNode.object(claims).serialized()
        return .json(
            try network.signingKey.sign(payload: payload, type: "token-introspection+jwt"),
            headerFields: [.contentType: type]
        )
    }

    private static func registration(_ request: RecordedRequest) throws -> ScriptedResponse {
        let statement = (try? JSONValue(parsing: request.body))?["software_statement"]?.string
        var members = [
            JSONMember(name: "client_id", value: "registered"),
            JSONMember(name: "client_secret", value: .string(self.secret("client-secret"))),
            JSONMember(name: "client_secret_expires_at", value: 0),
            JSONMember(name: "registration_access_token", value: .string(self.secret("registration"))),
            JSONMember(name: "registration_client_uri", value: "https://id.example/registration"),
        ]
        if let statement { members.append(JSONMember(name: "software_statement", value: .string(statement))) }
        return .json(JSONNode.object(members).text(), status: request.path == "/register" ? .created : .ok)
    }
}
