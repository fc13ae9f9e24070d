// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

extension OIDServiceDiscovery {
    /// `issuer`: the provider's name for itself.
    public var issuer: URL { self.document.issuer }
    /// `authorization_endpoint`.
    public var authorizationEndpoint: URL { self.document.authorizationEndpoint }
    /// `device_authorization_endpoint` (RFC 8628).
    public var deviceAuthorizationEndpoint: URL? { self.url("device_authorization_endpoint") }
    /// `token_endpoint`.
    public var tokenEndpoint: URL { self.document.tokenEndpoint }
    /// `userinfo_endpoint`.
    public var userinfoEndpoint: URL? { self.url("userinfo_endpoint") }
    /// `jwks_uri`: where the keys are that sign ID tokens.
    public var jwksURL: URL { self.document.jwksURL }
    /// `registration_endpoint` (RFC 7591).
    public var registrationEndpoint: URL? { self.url("registration_endpoint") }
    /// `end_session_endpoint` (OpenID Connect RP-Initiated Logout 1.0).
    public var endSessionEndpoint: URL? { self.url("end_session_endpoint") }
    /// `service_documentation`: a page for developers.
    public var serviceDocumentation: URL? { self.url("service_documentation") }
    /// `op_policy_uri`: what the provider lets clients do with people's data.
    public var opPolicyURI: URL? { self.url("op_policy_uri") }
    /// `op_tos_uri`: the terms of service.
    public var opTosURI: URL? { self.url("op_tos_uri") }

    /// A URL of the document; nil where it is missing, or a text that is no absolute URL.
    private func url(_ name: String) -> URL? { self.document.members.url(name) }
}
