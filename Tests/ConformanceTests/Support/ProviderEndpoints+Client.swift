// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting

extension ProviderEndpoints {
    /// Returns whether the request authenticates the client with its registered method and no other.
    func isAuthentic(_ request: RecordedRequest, _ issuer: String) throws -> Bool {
        let basic = request.head.headerFields[.authorization]
        let secret = request.formValue("client_secret")
        let assertion = request.formValue("client_assertion")
        let credentials = [basic, secret, assertion].compactMap { $0 }
        if self.authentication == .tlsClientAuth {
            return credentials.isEmpty && request.formValue("client_id") == ConformanceProvider.clientID
                && request.clientCertificate == GatewayTransport.certificate
        }
        guard credentials.count == 1 else { return false }
        switch self.authentication {
        case .clientSecretPost:
            return request.formValue("client_id") == ConformanceProvider.clientID
                && secret == ConformanceProvider.clientSecret
        case .clientSecretJWT, .privateKeyJWT:
            return try assertion.map { try self.isAuthentic(assertion: $0, issuer) } ?? false
        default:
            return basic.map(Self.isAuthentic(basic:)) ?? false
        }
    }

    /// Checks HTTP Basic credentials, whose parts are form-encoded (RFC 6749, section 2.3.1).
    private static func isAuthentic(basic field: String) -> Bool {
        let data = field.hasPrefix("Basic ") ? Data(base64Encoded: String(field.dropFirst(6))) : nil
        let parts = String(decoding: data ?? Data(), as: UTF8.self).split(separator: ":", maxSplits: 1)
        return parts.map { FormParameter.parse("x=\($0)").first?.value } == [
            ConformanceProvider.clientID, ConformanceProvider.clientSecret,
        ]
    }

    /// Checks a client assertion (OpenID Connect Core 1.0, section 9).
    private func isAuthentic(assertion: String, _ issuer: String) throws -> Bool {
        let jws = try CompactJWS(parsing: assertion)
        if self.authentication == .privateKeyJWT {
            try jws.verify(with: JWK(parsing: JSONValue(parsing: Self.clientKey.get().publicJWK.text())))
        } else {
            let key = JWSMACKey(secret: Array(ConformanceProvider.clientSecret.utf8))
            guard key.isSigner(of: jws) else { return false }
        }
        let claims = try jws.claims()
        return claims["iss"]?.string == ConformanceProvider.clientID
            && claims["sub"]?.string == ConformanceProvider.clientID && claims["aud"]?.string == issuer
            && claims["jti"]?.string?.isEmpty == false && claims["exp"] != nil
    }

    /// Responds to every registration request with the same client (RFC 7591, section 3).
    func register(_ request: RecordedRequest) throws -> HostileResponse {
        let metadata = try JSONValue(parsing: request.body)
        guard request.head.method == .post, let uris = metadata["redirect_uris"]?.elements, !uris.isEmpty else {
            return .json(#"{"error":"invalid_redirect_uri"}"#, status: .badRequest)
        }
        let registration: JSONNode = [
            "client_id": .string(ConformanceProvider.clientID),
            "client_secret": .string(ConformanceProvider.clientSecret), "client_secret_expires_at": 0,
            "token_endpoint_auth_method": .string(self.authentication.rawValue),
            "redirect_uris": .array(uris.map { .parsed($0) }),
        ]
        return .json(registration.text(), status: .created)
    }

    /// Responds to a logout request (OpenID Connect RP-Initiated Logout 1.0, section 2).
    func logout(_ query: [FormParameter]) -> HostileResponse {
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        guard value("id_token_hint")?.split(separator: ".").count == 3, let uri = value("post_logout_redirect_uri")
        else { return .status(.badRequest) }
        return .redirect(to: uri + (self.behavior.logoutState(value("state")).map { "?state=\($0)" } ?? ""))
    }
}
