// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("Constants of AppAuth")
struct ConstantsOriginalTests {
    @Test(
        "Scopes have the values of OpenID Connect",
        .original("AppAuth OIDScopesTests"),
        arguments: [
            (OIDScopeOpenID, "openid"), (OIDScopeProfile, "profile"), (OIDScopeEmail, "email"),
            (OIDScopeAddress, "address"), (OIDScopePhone, "phone"),
        ]
    )
    func scope(constant: String, value: String) {
        #expect(constant == value)
    }

    @Test(
        "Response types have the values of OAuth and OpenID Connect",
        .original("AppAuth OIDResponseTypesTests"),
        arguments: [
            (OIDResponseTypeCode, "code"), (OIDResponseTypeToken, "token"), (OIDResponseTypeIDToken, "id_token"),
        ]
    )
    func responseType(constant: String, value: String) {
        #expect(constant == value)
    }

    @Test(
        "Grant types have the values of OAuth",
        .original("AppAuth OIDGrantTypesTests"),
        arguments: [
            (OIDGrantTypeAuthorizationCode, "authorization_code"), (OIDGrantTypeRefreshToken, "refresh_token"),
            (OIDGrantTypePassword, "password"), (OIDGrantTypeClientCredentials, "client_credentials"),
        ]
    )
    func grantType(constant: String, value: String) {
        #expect(constant == value)
    }

    @Test(
        "The code challenge method is S256",
        .original("AppAuth OIDAuthorizationRequest.OIDOAuthorizationRequestCodeChallengeMethodS256")
    )
    func challengeMethod() {
        #expect(OIDOAuthorizationRequestCodeChallengeMethodS256 == "S256")
    }

    @Test(
        "Members of a registration request have the names of the standard",
        .original("AppAuth OIDClientMetadataParameters"),
        arguments: [
            (OIDTokenEndpointAuthenticationMethodParam, "token_endpoint_auth_method"),
            (OIDApplicationTypeParam, "application_type"), (OIDRedirectURIsParam, "redirect_uris"),
            (OIDResponseTypesParam, "response_types"), (OIDGrantTypesParam, "grant_types"),
            (OIDSubjectTypeParam, "subject_type"), (OIDApplicationTypeNative, "native"),
        ]
    )
    func clientMetadata(constant: String, value: String) {
        #expect(constant == value)
    }

    @Test(
        "Members of a registration response have the names of the standard",
        .original("AppAuth OIDRegistrationResponse"),
        arguments: [
            (OIDClientIDParam, "client_id"), (OIDClientIDIssuedAtParam, "client_id_issued_at"),
            (OIDClientSecretParam, "client_secret"), (OIDClientSecretExpirestAtParam, "client_secret_expires_at"),
            (OIDRegistrationAccessTokenParam, "registration_access_token"),
            (OIDRegistrationClientURIParam, "registration_client_uri"),
        ]
    )
    func registration(constant: String, value: String) {
        #expect(constant == value)
    }
}
