// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

extension ProviderState {
    /// Answers a request to any endpoint but the Drive's; `now` is in seconds since 1970.
    mutating func respond(to request: EndpointRequest, at now: Int64) -> EndpointResponse {
        switch request.path {
        case "/":
            self.get(request) { $0.welcome() }
        case "/favicon.svg", "/favicon.ico":
            self.get(request) { $0.icon() }
        case "/.well-known/openid-configuration":
            self.get(request) { $0.discovery() }
        case "/oauth2/v3/certs":
            self.get(request) { $0.certificates(at: now) }
        case "/oauth2/v1/certs":
            self.get(request) { $0.pemCertificates(at: now) }
        case "/o/oauth2/v2/auth", "/o/oauth2/auth":
            self.authorization(request, at: now)
        case "/o/oauth2/v2/auth/account":
            self.post(request) { $0.accountChoice(request, at: now) }
        case "/o/oauth2/v2/auth/consent":
            self.post(request) { $0.consent(request, at: now) }
        case "/token", "/oauth2/v4/token":
            self.post(request) { $0.token(request, at: now) }
        case "/revoke", "/o/oauth2/revoke":
            self.post(request) { $0.revocation(request, at: now) }
        case "/tokeninfo", "/oauth2/v3/tokeninfo":
            self.tokenInformation(request, at: now)
        case "/v1/userinfo", "/oauth2/v3/userinfo":
            self.userInformation(request, at: now)
        default:
            if let subject = Self.avatarSubject(request.path) {
                self.get(request) { $0.avatar(subject) }
            } else {
                .text("There is nothing at this address.", status: .notFound)
            }
        }
    }

    private func get(_ request: EndpointRequest, _ answer: (Self) -> EndpointResponse) -> EndpointResponse {
        request.method == .get ? answer(self) : .methodNotAllowed("GET")
    }

    private mutating func post(
        _ request: EndpointRequest,
        _ answer: (inout Self) -> EndpointResponse
    ) -> EndpointResponse {
        request.method == .post ? answer(&self) : .methodNotAllowed("POST")
    }
}
#endif
