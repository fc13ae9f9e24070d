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
            JSONMember("issuer", .string(self.baseURL)),
            JSONMember("authorization_endpoint", .string(self.baseURL + "/o/oauth2/v2/auth")),
            JSONMember("token_endpoint", .string(self.baseURL + "/token")),
            JSONMember("userinfo_endpoint", .string(self.baseURL + "/v1/userinfo")),
            JSONMember("revocation_endpoint", .string(self.baseURL + "/revoke")),
            JSONMember("jwks_uri", .string(self.baseURL + "/oauth2/v3/certs")),
            JSONMember("response_types_supported", list(["code"])),
            JSONMember("response_modes_supported", list(["query"])),
            JSONMember("subject_types_supported", list(["public"])),
            JSONMember(
                "id_token_signing_alg_values_supported",
                list([self.options.signingAlgorithm.rawValue])
            ),
            JSONMember("scopes_supported", list(["openid", "email", "profile"])),
            JSONMember(
                "token_endpoint_auth_methods_supported",
                list(["client_secret_post", "client_secret_basic"])
            ),
            JSONMember(
                "claims_supported",
                list([
                    "aud", "auth_time", "email", "email_verified", "exp", "family_name", "given_name", "hd", "iat",
                    "iss", "locale", "name", "picture", "sub",
                ])
            ),
            JSONMember("code_challenge_methods_supported", list(["S256"])),
            JSONMember("grant_types_supported", list(["authorization_code", "refresh_token"])),
        ]
        if self.behaviour.sendsIssuerInRedirects {
            members.append(JSONMember("authorization_response_iss_parameter_supported", true))
        }
        return Self.cacheable(.json(.object(members)), seconds: 3600)
    }

    /// The public keys; the cache time is short enough for a rotated key to be found.
    func certificates(at now: Int64) -> EndpointResponse {
        let keys = self.keys.published(at: now).map(\.publicJWK)
        return Self.cacheable(.json(["keys": .array(keys)]), seconds: 3600)
    }

    private static func cacheable(_ response: EndpointResponse, seconds: Int) -> EndpointResponse {
        var response = response
        response.headers[.cacheControl] = "public, max-age=\(seconds), must-revalidate"
        response.headers[named: "Pragma"] = nil
        return response
    }
}
#endif
