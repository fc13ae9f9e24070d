// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import SwiftASN1
internal import TesseraJOSE
internal import TesseraJSON
internal import X509

extension ProviderState {
    /// The userinfo endpoint (OpenID Connect Core 1.0, section 5.3).
    func userInformation(_ request: EndpointRequest, at now: Int64) -> EndpointResponse {
        guard request.method == .get || request.method == .post else { return .methodNotAllowed("GET, POST") }
        do throws(BearerRefusal) {
            let token = try self.bearer(request, anyOf: [ScopeCatalog.openID], at: now)
            guard let account = self.account(token.subject) else { throw .invalidToken }
            return .json(.object(self.claims(of: account, scopes: token.scopes)))
        } catch {
            let (code, explanation): (String, String) =
                switch error {
                case .noToken: ("invalid_request", "The request carries no access token.")
                case .invalidToken: ("invalid_token", "The access token is expired, revoked or malformed.")
                case .insufficientScope: ("insufficient_scope", "The access token was not granted openid.")
                }
            let status: HTTPResponse.Status = code == "insufficient_scope" ? .forbidden : .unauthorized
            return TokenFailure(
                code: code,
                explanation: explanation,
                status: status,
                challenge: self.challenge(error)
            )
            .response
        }
    }

    /// What is known about an access token, as at Google's `tokeninfo`: for debugging only.
    func tokenInformation(_ request: EndpointRequest, at now: Int64) -> EndpointResponse {
        guard request.method == .get || request.method == .post else { return .methodNotAllowed("GET, POST") }
        let text = request.method == .get ? Array(request.query.utf8) : request.body
        guard let parameters = try? FormParameters(decoding: text),
            let token = parameters["access_token"].flatMap({ self.accessTokens.entry($0, at: now) })
        else { return TokenFailure(code: "invalid_token", explanation: "Invalid Value").response }
        var members = [
            JSONMember(name: "azp", value: .string(token.clientID)),
            JSONMember(name: "aud", value: .string(token.clientID)),
            JSONMember(name: "sub", value: .string(token.subject)),
            JSONMember(name: "scope", value: .string(token.scopes.joined(separator: " "))),
            JSONMember(name: "exp", value: .string(String(token.deadline))),
            JSONMember(name: "expires_in", value: .string(String(token.deadline &- now))),
            JSONMember(name: "access_type", value: .string(token.isOffline ? "offline" : "online")),
        ]
        if token.scopes.contains(ScopeCatalog.email), let account = self.account(token.subject) {
            members.append(JSONMember(name: "email", value: .string(account.email)))
            members.append(JSONMember(name: "email_verified", value: .string(String(account.isEmailVerified))))
        }
        return .json(.object(members))
    }

    /// The revocation endpoint (RFC 7009): any token ends the account's whole grant at the client, as at Google.
    mutating func revocation(_ request: EndpointRequest, at now: Int64) -> EndpointResponse {
        do throws(TokenFailure) {
            let form = try Self.form(request)
            guard let text = form["token"] else {
                throw TokenFailure(code: "invalid_request", explanation: "Missing required parameter: token")
            }
            if let grant = self.refreshTokens[text].map(GrantKey.init) { self.revoke(grant) }
            if let grant = self.accessTokens.entry(text, at: now).map(GrantKey.init) { self.revoke(grant) }
            return .json([:])
        } catch {
            return error.response
        }
    }
}

extension ProviderState {
    /// Why a resource refuses a call (RFC 6750, section 3).
    enum BearerRefusal: Error {
        case noToken
        case invalidToken
        /// The token is good for none of these scopes.
        case insufficientScope([String])
    }

    /// The token of a call, when it is good for at least one of `scopes`.
    func bearer(
        _ request: EndpointRequest,
        anyOf scopes: [String],
        at now: Int64
    ) throws(BearerRefusal) -> AccessToken {
        let fields = request.headers[values: .authorization]
        guard let field = fields.first else { throw .noToken }
        let words = field.split(separator: " ", maxSplits: 1)
        guard fields.count == 1, words.count == 2, words[0].lowercased() == "bearer",
            let token = self.accessTokens.entry(words[1].trimmed, at: now)
        else { throw .invalidToken }
        guard scopes.contains(where: token.scopes.contains) else { throw .insufficientScope(scopes) }
        return token
    }

    /// The challenge that goes with a refusal.
    func challenge(_ refusal: BearerRefusal) -> String {
        let realm = "Bearer realm=\"\(self.baseURL)\""
        return switch refusal {
        case .noToken: realm
        case .invalidToken: realm + ", error=\"invalid_token\""
        case .insufficientScope(let scopes):
            realm + ", error=\"insufficient_scope\", scope=\"\(scopes.joined(separator: " "))\""
        }
    }
}

extension ProviderState {
    /// The discovery document, with Google's members.
    func discovery() -> EndpointResponse {
        let list: ([String]) -> JSONNode = { .array($0.map(JSONNode.string)) }
        var members: [JSONMember] = [
            JSONMember(name: "issuer", value: .string(self.baseURL)),
            JSONMember(name: "authorization_endpoint", value: .string(self.baseURL + "/o/oauth2/v2/auth")),
            JSONMember(name: "token_endpoint", value: .string(self.baseURL + "/token")),
            JSONMember(name: "userinfo_endpoint", value: .string(self.baseURL + "/v1/userinfo")),
            JSONMember(name: "revocation_endpoint", value: .string(self.baseURL + "/revoke")),
            JSONMember(name: "jwks_uri", value: .string(self.baseURL + "/oauth2/v3/certs")),
            JSONMember(name: "response_types_supported", value: list(["code"])),
            JSONMember(name: "response_modes_supported", value: list(["query"])),
            JSONMember(name: "subject_types_supported", value: list(["public"])),
            JSONMember(
                name: "id_token_signing_alg_values_supported",
                value: list([self.options.signingAlgorithm.rawValue])
            ),
            JSONMember(name: "scopes_supported", value: list(["openid", "email", "profile"])),
            JSONMember(
                name: "token_endpoint_auth_methods_supported",
                value: list(["client_secret_post", "client_secret_basic"])
            ),
            JSONMember(
                name: "claims_supported",
                value: list([
                    "aud", "auth_time", "email", "email_verified", "exp", "family_name", "given_name", "hd", "iat",
                    "iss", "locale", "name", "picture", "sub",
                ])
            ),
            JSONMember(name: "code_challenge_methods_supported", value: list(["S256"])),
            JSONMember(name: "grant_types_supported", value: list(["authorization_code", "refresh_token"])),
        ]
        if self.behaviour.sendsIssuerInRedirects {
            members.append(JSONMember(name: "authorization_response_iss_parameter_supported", value: true))
        }
        return Self.cacheable(.json(.object(members)), seconds: 3600)
    }

    /// The public keys; the cache time is short enough for a rotated key to be found.
    func certificates(at now: Int64) -> EndpointResponse {
        let keys = self.keys.published(at: now).map(\.publicJWK)
        return Self.cacheable(.json(["keys": .array(keys)]), seconds: 3600)
    }

    static func cacheable(_ response: EndpointResponse, seconds: Int) -> EndpointResponse {
        var response = response
        response.headers[.cacheControl] = "public, max-age=\(seconds), must-revalidate"
        response.headers[named: "Pragma"] = nil
        return response
    }
}

extension ProviderState {
    /// The public keys once more, as Google's older address gives them: a certificate in PEM for each key.
    ///
    /// A key that certificates cannot hold is left out.
    func pemCertificates(at now: Int64) -> EndpointResponse {
        let members = self.keys.published(at: now)
            .compactMap { key -> JSONMember? in
                guard let name = key.keyID, let pem = try? Self.certificate(key, at: now) else { return nil }
                return JSONMember(name: name, value: .string(pem + "\n"))
            }
        return Self.cacheable(.json(.object(members)), seconds: 3600)
    }

    private static func certificate(_ key: JWSSigningKey, at now: Int64) throws -> String {
        let privateKey = try Certificate.PrivateKey(pemEncoded: key.pemRepresentation)
        let name = try DistinguishedName { CommonName("Tessera Local Provider, signing key") }
        let start = Date(timeIntervalSince1970: Double(now) - 86_400)
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: privateKey.publicKey,
            notValidBefore: start,
            notValidAfter: start.addingTimeInterval(30 * 86_400),
            issuer: name,
            subject: name,
            extensions: try Certificate.Extensions { Critical(KeyUsage(digitalSignature: true)) },
            issuerPrivateKey: privateKey
        )
        return try certificate.serializeAsPEM().pemString
    }
}
#endif
