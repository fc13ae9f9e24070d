// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import Synchronization
internal import TesseraTesting

/// A provider and API server that returns ``HostileText/escape`` in every string that the protocol does not restrict.
///
/// The device grant signs in a different user each time: `ada`, then a user with a hostile identifier, then `bob`.
final class HostileTextProvider: Sendable {
    /// The behavior of the endpoints.
    private struct State {
        var signIns = 0
        var tokenError = false
        var deviceError = false
        var scope = "openid email"
    }

    private let state = Mutex(State())
    private let key: JWSSigningKey
    private let server: Mutex<HostileServer?> = Mutex(nil)

    /// The issuer, which is also the root URL of the APIs.
    var issuer: String { self.server.withLock { $0?.baseURL ?? "" } }

    private init() throws { self.key = try JWSSigningKey.generate(.rs256) }

    /// Runs `body` with a scene and a provider.
    static func play(_ body: (Scene, HostileTextProvider) async throws -> Void) async throws {
        let provider = try HostileTextProvider()
        let server = try HostileServer.start { [weak provider] request in
            (try? provider?.response(request)) ?? .status(.notFound)
        }
        provider.server.withLock { $0 = server }
        defer { server.stop() }
        try await Scene.play { scene in try await body(scene, provider) }
    }

    /// Makes the token endpoint reject all requests with hostile text.
    func refuseTokens(_ refuses: Bool = true) { self.state.withLock { $0.tokenError = refuses } }

    /// Makes the device endpoint reject all requests with hostile text.
    func refuseDevices(_ refuses: Bool = true) { self.state.withLock { $0.deviceError = refuses } }

    /// Sets the scope of token responses.
    func grant(_ scope: String) { self.state.withLock { $0.scope = scope } }

    /// Returns a JWT with hostile text in its header and claims.
    func hostileToken() throws -> String {
        try self.key.sign(
            payload: JSONNode.object(self.claims("ada", "program")).serialized(),
            type: HostileText.escape
        )
    }

    private func response(_ request: RecordedRequest) throws -> HostileResponse {
        let base = "http://\(request.head.authority ?? "")"
        let evil = JSONNode.string(HostileText.escape)
        switch request.path {
        case "/.well-known/openid-configuration": return Self.json(Self.metadata(base))
        case "/keys": return Self.json(["keys": [self.key.publicJWK]])
        case "/device":
            guard self.state.withLock({ !$0.deviceError }) else { return Self.refusal }
            return Self.json([
                "device_code": "device-code", "user_code": "WDJB-MJHT", "verification_uri": .string(base + "/go"),
                "expires_in": 900, "interval": 1,
            ])
        case "/token": return try self.tokens(request, base)
        case "/userinfo":
            return Self.json(
                .object([
                    JSONMember(name: "sub", value: "ada"), JSONMember(name: HostileText.escape, value: evil),
                    JSONMember(name: "list", value: [evil]),
                ])
            )
        case "/register":
            return Self.json(
                [
                    "client_id": evil, "client_secret": "hidden-secret", "client_secret_expires_at": 0,
                    "client_name": evil, "token_endpoint_auth_method": "client_secret_basic",
                    "redirect_uris": ["http://127.0.0.1/"], "grant_types": [evil],
                ],
                .created
            )
        case "/drive/v3/files":
            return Self.json([
                "files": [
                    ["id": evil, "name": evil, "mimeType": evil, "size": "1", "modifiedTime": "2026-05-01T12:00:00Z"],
                    ["id": evil, "name": evil],
                ]
            ])
        case "/gmail/v1/users/me/messages":
            return Self.json(["messages": [["id": "one", "threadId": evil]], "resultSizeEstimate": 1])
        case "/gmail/v1/users/me/messages/one": return Self.json(Self.message)
        case "/batch", "/batch/gmail/v1": return Self.batch(request)
        case "/storage/v1/b/bucket/o":
            return Self.json(["items": [["name": evil, "size": "1", "contentType": evil]]])
        case "/forbidden": return Self.forbidden
        case "/go": return .status(.noContent)
        default: return Self.refusal
        }
    }

    private func tokens(_ request: RecordedRequest, _ base: String) throws -> HostileResponse {
        let (isRefused, scope) = self.state.withLock { ($0.tokenError, $0.scope) }
        guard !isRefused else { return Self.refusal }
        let number = self.state.withLock { state in
            if request.formValue("device_code") != nil { state.signIns += 1 }
            return state.signIns
        }
        let subject = number == 1 ? "ada" : number == 2 ? HostileText.escape : "bob"
        let claims = JSONNode.object(self.claims(subject, request.formValue("client_id") ?? "", issuer: base))
        return Self.json([
            "access_token": .string("hidden-access-\(number)"), "token_type": "Bearer", "expires_in": 3600,
            "refresh_token": .string("hidden-refresh-\(number)"), "scope": .string(scope),
            "id_token": .string(try self.key.sign(payload: claims.serialized(), type: "JWT")),
        ])
    }

    private func claims(_ subject: String, _ audience: String, issuer: String? = nil) -> [JSONMember] {
        let now = Date().timeIntervalSince1970.rounded()
        let evil = JSONNode.string(HostileText.escape)
        return [
            JSONMember(name: "iss", value: .string(issuer ?? self.issuer)),
            JSONMember(name: "sub", value: .string(subject)), JSONMember(name: "aud", value: .string(audience)),
            JSONMember(name: "iat", value: .double(now)), JSONMember(name: "exp", value: .double(now + 3600)),
            JSONMember(name: "name", value: evil), JSONMember(name: "email", value: evil),
            JSONMember(name: "picture", value: evil), JSONMember(name: "hd", value: evil),
            JSONMember(name: "sid", value: evil), JSONMember(name: HostileText.escape, value: evil),
        ]
    }

    private static func metadata(_ base: String) -> JSONNode {
        let evil = JSONNode.string(HostileText.escape)
        return [
            "issuer": .string(base), "authorization_endpoint": .string(base + "/authorize"),
            "token_endpoint": .string(base + "/token"), "jwks_uri": .string(base + "/keys"),
            "userinfo_endpoint": .string(base + "/userinfo"), "revocation_endpoint": .string(base + "/revoke"),
            "device_authorization_endpoint": .string(base + "/device"),
            "registration_endpoint": .string(base + "/register"),
            "code_challenge_methods_supported": ["S256", evil], "response_modes_supported": ["query", evil],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "none", evil],
            "id_token_signing_alg_values_supported": ["RS256", evil], "scopes_supported": [evil],
            "grant_types_supported": [evil], "service_documentation": evil, "acr_values_supported": [evil],
            "dpop_signing_alg_values_supported": [evil], "request_object_signing_alg_values_supported": [evil],
            "backchannel_token_delivery_modes_supported": [evil],
        ]
    }

    /// A response that is an OAuth error, a Google API error, and has a hostile `message`.
    private static var refusal: HostileResponse {
        let evil = JSONNode.string(HostileText.escape)
        return self.json(["error": evil, "error_description": evil, "error_uri": evil, "message": evil], .badRequest)
    }

    /// A 403 response of an API, with hostile text also in the status line and the header.
    private static var forbidden: HostileResponse {
        let evil = HostileText.header
        let body =
            JSONNode.object([
                JSONMember(
                    name: "error",
                    value: ["code": 403, "message": .string(HostileText.escape), "status": .string(HostileText.escape)]
                )
            ])
            .serialized()
        let head = """
            HTTP/1.1 403 Forbidden \(evil)\r
            WWW-Authenticate: Bearer error="insufficient_scope", error_description="\(evil)", scope="a\(evil) b"\r
            X-\(HostileTextProvider.self): \(evil)\r
            Content-Type: application/json\r
            Content-Length: \(body.count)\r
            Connection: close\r
            \r

            """
        return .raw(Array(head.utf8) + body)
    }

    private static var message: JSONNode {
        let evil = JSONNode.string(HostileText.escape)
        let names = ["From", "To", "Cc", "Date", "Subject"]
        // The body of a message may contain line breaks, so it must not contain the marker of forged lines.
        let letter = HostileText.escape.replacing("FORGED", with: "A line")
        let data = Data(letter.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
        return [
            "id": "one", "threadId": evil, "snippet": evil,
            "payload": [
                "mimeType": "text/plain", "filename": "",
                "headers": .array(names.map { ["name": .string($0), "value": evil] }),
                "body": ["data": .string(data)],
            ],
        ]
    }

    private static func batch(_ request: RecordedRequest) -> HostileResponse {
        let places = request.text.split(whereSeparator: \.isNewline).filter { $0.hasPrefix("Content-ID: <") }
            .map { $0.dropFirst("Content-ID: <".count).prefix { $0 != ">" } }
        var body = ""
        for location in places {
            let message = Self.message.text()
            body +=
                "--edge\r\nContent-Type: application/http\r\nContent-ID: <response-\(location)>\r\n\r\n"
                + "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n\(message)\r\n"
        }
        let fields: HTTPFields = [.contentType: "multipart/mixed; boundary=edge"]
        return .respond(headerFields: fields, body: Array((body + "--edge--\r\n").utf8))
    }

    private static func json(_ node: JSONNode, _ status: HTTPResponse.Status = .ok) -> HostileResponse {
        .json(node.text(), status: status)
    }
}
