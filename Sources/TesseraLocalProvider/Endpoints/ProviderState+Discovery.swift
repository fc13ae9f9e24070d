// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON

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
#endif
