// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension OIDServiceDiscovery {
    /// `response_types_supported`.
    public var responseTypesSupported: [String] { self.document.responseTypesSupported }
    /// `subject_types_supported`.
    public var subjectTypesSupported: [String] { self.document.subjectTypesSupported }
    /// `scopes_supported`.
    public var scopesSupported: [String]? { self.texts("scopes_supported") }
    /// `response_modes_supported`.
    public var responseModesSupported: [String]? { self.texts("response_modes_supported") }
    /// `grant_types_supported`.
    public var grantTypesSupported: [String]? { self.texts("grant_types_supported") }
    /// `acr_values_supported`.
    public var acrValuesSupported: [String]? { self.texts("acr_values_supported") }
    /// `display_values_supported`.
    public var displayValuesSupported: [String]? { self.texts("display_values_supported") }
    /// `claim_types_supported`.
    public var claimTypesSupported: [String]? { self.texts("claim_types_supported") }
    /// `claims_supported`.
    public var claimsSupported: [String]? { self.texts("claims_supported") }
    /// `claims_locales_supported`.
    public var claimsLocalesSupported: [String]? { self.texts("claims_locales_supported") }
    /// `ui_locales_supported`.
    public var uiLocalesSupported: [String]? { self.texts("ui_locales_supported") }
    /// `claims_parameter_supported`, false where it is not said.
    public var claimsParameterSupported: Bool { self.flag("claims_parameter_supported") ?? false }
    /// `request_parameter_supported`, false where it is not said.
    public var requestParameterSupported: Bool { self.flag("request_parameter_supported") ?? false }
    /// `request_uri_parameter_supported`, true where it is not said.
    public var requestURIParameterSupported: Bool { self.flag("request_uri_parameter_supported") ?? true }
    /// `require_request_uri_registration`, false where it is not said.
    public var requireRequestURIRegistration: Bool { self.flag("require_request_uri_registration") ?? false }

    private func flag(_ name: String) -> Bool? { self.document.members.flag(name) }
}

extension OIDServiceDiscovery {
    /// `id_token_signing_alg_values_supported`.
    public var idTokenSigningAlgorithmValuesSupported: [String] { self.document.idTokenSigningAlgorithmValuesSupported }
    /// `id_token_encryption_alg_values_supported`.
    public var idTokenEncryptionAlgorithmValuesSupported: [String]? {
        self.texts("id_token_encryption_alg_values_supported")
    }
    /// `id_token_encryption_enc_values_supported`.
    public var idTokenEncryptionEncodingValuesSupported: [String]? {
        self.texts("id_token_encryption_enc_values_supported")
    }
    /// `userinfo_signing_alg_values_supported`.
    public var userinfoSigningAlgorithmValuesSupported: [String]? {
        self.texts("userinfo_signing_alg_values_supported")
    }
    /// `userinfo_encryption_alg_values_supported`.
    public var userinfoEncryptionAlgorithmValuesSupported: [String]? {
        self.texts("userinfo_encryption_alg_values_supported")
    }
    /// `userinfo_encryption_enc_values_supported`.
    public var userinfoEncryptionEncodingValuesSupported: [String]? {
        self.texts("userinfo_encryption_enc_values_supported")
    }
    /// `request_object_signing_alg_values_supported`.
    public var requestObjectSigningAlgorithmValuesSupported: [String]? {
        self.texts("request_object_signing_alg_values_supported")
    }
    /// `request_object_encryption_alg_values_supported`.
    public var requestObjectEncryptionAlgorithmValuesSupported: [String]? {
        self.texts("request_object_encryption_alg_values_supported")
    }
    /// `request_object_encryption_enc_values_supported`.
    public var requestObjectEncryptionEncodingValuesSupported: [String]? {
        self.texts("request_object_encryption_enc_values_supported")
    }
    /// `token_endpoint_auth_methods_supported`.
    public var tokenEndpointAuthMethodsSupported: [String]? { self.texts("token_endpoint_auth_methods_supported") }
    /// `token_endpoint_auth_signing_alg_values_supported`.
    public var tokenEndpointAuthSigningAlgorithmValuesSupported: [String]? {
        self.texts("token_endpoint_auth_signing_alg_values_supported")
    }

    /// A list of the document; nil where it is missing.
    private func texts(_ name: String) -> [String]? { self.document.members.texts(name) }
}
