// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import Testing

/// One instance of each class with every property set.
///
/// Every secret value contains `secret`.
enum Samples {
    static let secrets = [
        "client-secret-1", "state-secret-2", "nonce-secret-3", "verifier-secret-4", "code-secret-5", "access-secret-6",
        "refresh-secret-7", "initial-secret-8", "registration-secret-9", "parameter-secret-10", "header-secret-11",
        "eyJzZWNyZXQiOjEyfQ", "person-secret-13",
    ]

    static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    static let discovery = """
        {"issuer": "https://server.example", "authorization_endpoint": "https://server.example/authorize?tenant=a%20b",
         "token_endpoint": "https://server.example/token", "jwks_uri": "https://server.example/keys",
         "device_authorization_endpoint": "https://server.example/device",
         "end_session_endpoint": "https://server.example/end", "registration_endpoint": "https://server.example/register",
         "userinfo_endpoint": "https://server.example/userinfo", "service_documentation": "https://server.example/docs",
         "op_policy_uri": "https://server.example/policy", "op_tos_uri": "https://server.example/tos",
         "response_types_supported": ["code", "code id_token"], "subject_types_supported": ["public"],
         "id_token_signing_alg_values_supported": ["RS256"], "scopes_supported": ["openid", "email"],
         "claims_parameter_supported": true, "an_extension": {"depth": [1, 2.5, null, false, "x"]}}
        """

    static func configuration() throws -> OIDServiceConfiguration {
        OIDServiceConfiguration(discoveryDocument: try OIDServiceDiscovery(json: self.discovery))
    }

    static func authorizationRequest() throws -> OIDAuthorizationRequest {
        OIDAuthorizationRequest(
            configuration: try self.configuration(),
            clientId: "app",
            clientSecret: "client-secret-1",
            scope: "openid email",
            redirectURL: try self.url("com.example.app:/callback"),
            responseType: OIDResponseTypeCode,
            state: "state-secret-2",
            nonce: "nonce-secret-3",
            codeVerifier: "verifier-secret-4",
            codeChallenge: "challenge",
            codeChallengeMethod: OIDOAuthorizationRequestCodeChallengeMethodS256,
            additionalParameters: ["login_hint": "parameter-secret-10"]
        )
    }

    static func authorizationResponse() throws -> OIDAuthorizationResponse {
        OIDAuthorizationResponse(
            request: try self.authorizationRequest(),
            parameters: [
                "code": "code-secret-5", "state": "state-secret-2", "access_token": "access-secret-6",
                "token_type": "Bearer", "id_token": "eyJzZWNyZXQiOjEyfQ", "scope": "openid", "expires_in": "60",
                "session_state": "parameter-secret-10",
            ],
            receivedAt: Date(timeIntervalSince1970: 1_000_000)
        )
    }

    static func tokenRequest() throws -> OIDTokenRequest {
        OIDTokenRequest(
            configuration: try self.configuration(),
            grantType: OIDGrantTypeAuthorizationCode,
            authorizationCode: "code-secret-5",
            redirectURL: try self.url("com.example.app:/callback"),
            clientID: "app",
            clientSecret: "client-secret-1",
            scope: "openid",
            refreshToken: "refresh-secret-7",
            codeVerifier: "verifier-secret-4",
            additionalParameters: ["assertion": "parameter-secret-10"],
            additionalHeaders: ["X-Key": "header-secret-11"]
        )
    }

    static func tokenResponse() throws -> OIDTokenResponse {
        OIDTokenResponse(
            request: try self.tokenRequest(),
            parameters: [
                "access_token": "access-secret-6", "expires_in": 3_600, "token_type": "bearer",
                "id_token": "eyJzZWNyZXQiOjEyfQ", "refresh_token": "refresh-secret-7", "scope": "openid",
                "other": ["parameter-secret-10", 1, true] as [Any],
            ],
            receivedAt: Date(timeIntervalSince1970: 1_000_000)
        )
    }

    static func endSessionRequest() throws -> OIDEndSessionRequest {
        OIDEndSessionRequest(
            configuration: try self.configuration(),
            idTokenHint: "eyJzZWNyZXQiOjEyfQ",
            postLogoutRedirectURL: try self.url("com.example.app:/bye"),
            state: "state-secret-2",
            additionalParameters: ["logout_hint": "parameter-secret-10"]
        )
    }

    static func endSessionResponse() throws -> OIDEndSessionResponse {
        OIDEndSessionResponse(
            request: try self.endSessionRequest(),
            parameters: ["state": "state-secret-2", "more": "parameter-secret-10"]
        )
    }

    static func registrationRequest() throws -> OIDRegistrationRequest {
        OIDRegistrationRequest(
            configuration: try self.configuration(),
            redirectURIs: [try self.url("com.example.app:/callback")],
            responseTypes: ["code"],
            grantTypes: ["authorization_code"],
            subjectType: "pairwise",
            tokenEndpointAuthMethod: "client_secret_basic",
            initialAccessToken: "initial-secret-8",
            additionalParameters: ["contacts": ["parameter-secret-10"]]
        )
    }

    static func registrationResponse() throws -> OIDRegistrationResponse {
        OIDRegistrationResponse(
            request: try self.registrationRequest(),
            parameters: [
                "client_id": "app", "client_id_issued_at": 1_000_000, "client_secret": "client-secret-1",
                "client_secret_expires_at": 2_000_000, "registration_access_token": "registration-secret-9",
                "registration_client_uri": "https://server.example/register/app",
                "token_endpoint_auth_method": "client_secret_basic", "more": "parameter-secret-10",
            ]
        )
    }

    /// Returns one instance of each archived class.
    static func all() throws -> [AppAuthValue] {
        [
            try self.configuration(), try OIDServiceDiscovery(json: self.discovery), try self.authorizationRequest(),
            try self.authorizationResponse(), try self.tokenRequest(), try self.tokenResponse(),
            try self.endSessionRequest(), try self.endSessionResponse(), try self.registrationRequest(),
            try self.registrationResponse(),
        ]
    }
}
