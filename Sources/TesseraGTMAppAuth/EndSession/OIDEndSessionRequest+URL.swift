// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import TesseraOAuth

extension OIDEndSessionRequest: OIDExternalUserAgentRequest {
    /// The page that signs the person out.
    ///
    /// The query of the endpoint is kept; no parameter is there twice, and the request's own come before the program's. It
    /// is `about:blank` where the configuration has no end session endpoint.
    public func endSessionRequestURL() -> URL {
        self.page ?? .nowhere(else: self.configuration.authorizationEndpoint)
    }

    /// The same as ``endSessionRequestURL()``; nil where the configuration has no end session endpoint.
    public func externalUserAgentRequestURL() -> URL! { self.page }

    /// The scheme of the redirect URL; nil without one.
    public func redirectScheme() -> String! { self.postLogoutRedirectURL?.scheme }

    private var page: URL? {
        var form = FormParameters()
        form.append("id_token_hint", self.idTokenHint)
        form.append("post_logout_redirect_uri", self.postLogoutRedirectURL?.absoluteString)
        form.append("state", self.state)
        form.append(additional: self.additionalParameters)
        return self.configuration.endSessionEndpoint?.adding(form)
    }
}
