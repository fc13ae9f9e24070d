// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Synchronization
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraTesting

/// A provider with features that the local provider lacks: device codes, pushed requests, bound tokens and
/// registration.
///
/// It accepts all requests and records them in ``requests(to:)``.
final class SmallProvider: Sendable {
    /// The behavior of the provider.
    struct Options: Sendable {
        /// The number of times the token endpoint returns `authorization_pending` first.
        var pending = 0
        /// The `error` that the token endpoint then returns for a device code.
        var deviceError: String?
        /// The registered client's identifier.
        var clientID = "registered-1"
        /// Additional members of the registration response.
        var registration = #", "client_secret": "hidden-secret", "client_secret_expires_at": 0"#
        /// Whether only the metadata document of RFC 8414 is available.
        var isPlainOAuth = false
    }

    fileprivate struct State {
        var options: Options
        var nonce: String?
        var redirectURI = ""
        var stateParameter = ""
    }

    fileprivate final class Behavior: Sendable {
        let state: Mutex<State>
        let key: JWSSigningKey

        init(_ options: Options) throws {
            self.state = Mutex(State(options: options))
            self.key = try JWSSigningKey.generate(.rs256)
        }
    }

    private let behavior: Behavior
    private let server: HostileServer

    /// The issuer.
    var issuer: String { self.server.baseURL }

    init(_ options: Options = Options()) throws {
        let behavior = try Behavior(options)
        self.behavior = behavior
        self.server = try HostileServer.start { request in (try? behavior.response(request)) ?? .close }
    }

    func stop() { self.server.stop() }

    /// Runs a test in a new scene with this provider.
    static func play(_ options: Options = Options(), _ body: (Scene, SmallProvider) async throws -> Void) async throws {
        let provider = try SmallProvider(options)
        defer { provider.stop() }
        try await Scene.play { scene in try await body(scene, provider) }
    }

    func requests(to path: String) -> [RecordedRequest] { self.server.requests(to: path) }

    /// The provider's JWK set.
    var keys: String { self.behavior.keys }

    /// Returns a signed ID token.
    func token(
        issuer: String? = nil,
        audience: String = "program",
        expiresIn: Double = 3_600
    ) throws -> String {
        try self.behavior.token(issuer ?? self.issuer, audience, nonce: nil, expiresIn: expiresIn)
    }
}

extension SmallProvider.Behavior {
    fileprivate var keys: String {
        JSONNode.object([JSONMember(name: "keys", value: [self.key.publicJWK])]).text()
    }

    fileprivate func response(_ request: RecordedRequest) throws -> HostileResponse {
        let base = "http://\(request.head.authority ?? "")"
        let options = self.state.withLock { $0.options }
        switch request.path {
        case "/.well-known/openid-configuration":
            return options.isPlainOAuth ? .status(.notFound) : .json(Self.metadata(base))
        case "/.well-known/oauth-authorization-server": return .json(Self.metadata(base))
        case "/keys": return .json(self.keys)
        case "/device":
            return .json(
                """
                {"device_code": "device-code-1", "user_code": "WDJB-MJHT", "verification_uri": "\(base)/go", \
                "verification_uri_complete": "\(base)/go?code=WDJB-MJHT", "expires_in": 900, "interval": 1}
                """
            )
        case "/par":
            self.remember(request.form)
            return .json(#"{"request_uri": "urn:example:1", "expires_in": 60}"#, status: .created)
        case "/authorize":
            self.remember(request.query)
            let (uri, state) = self.state.withLock { ($0.redirectURI, $0.stateParameter) }
            return .redirect(to: "\(uri)?code=code-1&state=\(state)&iss=\(FormParameter.encoded(base))")
        case "/token": return try self.tokens(request, base)
        case "/register":
            let body = try JSONValue(parsing: request.body)
            let members = (body.members.map(Array.init) ?? []).map { #""\#($0.name)": \#($0.value.text)"# }
            return .json(
                """
                {"client_id": "\(options.clientID)", "registration_access_token": "hidden-management", \
                "registration_client_uri": "\(base)/clients/1"\(options.registration), \
                \(members.joined(separator: ", "))}
                """,
                status: .created
            )
        case "/clients/1": return .status(.noContent)
        default: return .status(.notFound)
        }
    }

    private func remember(_ parameters: [FormParameter]) {
        self.state.withLock { state in
            for parameter in parameters {
                switch parameter.name {
                case "nonce": state.nonce = parameter.value
                case "redirect_uri": state.redirectURI = parameter.value
                case "state": state.stateParameter = parameter.value
                default: break
                }
            }
        }
    }

    private func tokens(_ request: RecordedRequest, _ base: String) throws -> HostileResponse {
        if request.formValue("device_code") != nil {
            let error = self.state.withLock { state -> String? in
                guard state.options.pending == 0 else {
                    state.options.pending -= 1
                    return "authorization_pending"
                }
                return state.options.deviceError
            }
            if let error { return .json(#"{"error": "\#(error)"}"#, status: .badRequest) }
        }
        let nonce = self.state.withLock { $0.nonce }
        let isBound = HTTPField.Name("DPoP").flatMap { request.head.headerFields[$0] } != nil
        let clientID = request.formValue("client_id") ?? "registered-1"
        let idToken = try self.token(base, clientID, nonce: nonce, expiresIn: 3_600)
        return .json(
            """
            {"access_token": "hidden-access", "token_type": "\(isBound ? "DPoP" : "Bearer")", "expires_in": 3600, \
            "refresh_token": "hidden-refresh", "scope": "openid email", "id_token": "\(idToken)"}
            """
        )
    }

    fileprivate func token(
        _ issuer: String,
        _ audience: String,
        nonce: String?,
        expiresIn: Double
    ) throws -> String {
        let now = Date().timeIntervalSince1970.rounded()
        var claims = [
            JSONMember(name: "iss", value: .string(issuer)), JSONMember(name: "sub", value: "ada"),
            JSONMember(name: "aud", value: .string(audience)), JSONMember(name: "email", value: "ada@example.com"),
            JSONMember(name: "iat", value: .double(min(now, now + expiresIn))),
            JSONMember(name: "exp", value: .double(now + expiresIn)),
        ]
        if let nonce { claims.append(JSONMember(name: "nonce", value: .string(nonce))) }
        return try self.key.sign(payload: JSONNode.object(claims).serialized(), type: "JWT")
    }

    private static func metadata(_ base: String) -> String {
        """
        {"issuer": "\(base)", "authorization_endpoint": "\(base)/authorize", "token_endpoint": "\(base)/token", \
        "jwks_uri": "\(base)/keys", "device_authorization_endpoint": "\(base)/device", \
        "pushed_authorization_request_endpoint": "\(base)/par", "registration_endpoint": "\(base)/register", \
        "code_challenge_methods_supported": ["S256", "plain"], "response_modes_supported": ["query", "form_post"], \
        "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"], \
        "dpop_signing_alg_values_supported": ["ES256"], "id_token_signing_alg_values_supported": ["RS256", "none"], \
        "authorization_response_iss_parameter_supported": true}
        """
    }
}

extension FormParameter {
    /// Returns a URL encoded for a query.
    fileprivate static func encoded(_ text: String) -> String {
        text.replacing(":", with: "%3A").replacing("/", with: "%2F")
    }
}
