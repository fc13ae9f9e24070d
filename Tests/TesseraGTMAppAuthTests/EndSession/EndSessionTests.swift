// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import Testing

@Suite("OIDEndSessionRequest and OIDEndSessionResponse")
struct EndSessionTests {
    private func request(end: String?) throws -> OIDEndSessionRequest {
        let endpoint = try Samples.url("https://server.example/authorize")
        return OIDEndSessionRequest(
            configuration: OIDServiceConfiguration(
                authorizationEndpoint: endpoint,
                tokenEndpoint: endpoint,
                issuer: nil,
                registrationEndpoint: nil,
                endSessionEndpoint: try end.map { try Samples.url($0) }
            ),
            idTokenHint: "hint",
            postLogoutRedirectURL: try Samples.url("com.example.app:/bye"),
            additionalParameters: ["state": "other", "ui_locales": "de"]
        )
    }

    @Test("Adds the ID token hint, redirect URI and a random state to the endpoint")
    func page() throws {
        let request = try self.request(end: "https://server.example/end?p=1")
        let state = try #require(request.state)
        #expect(state.utf8.count == 43)
        let page = try #require(URLComponents(url: request.endSessionRequestURL(), resolvingAgainstBaseURL: false))
        #expect(page.string?.hasPrefix("https://server.example/end?") == true)
        #expect(
            page.queryItems == [
                URLQueryItem(name: "p", value: "1"), URLQueryItem(name: "id_token_hint", value: "hint"),
                URLQueryItem(name: "post_logout_redirect_uri", value: "com.example.app:/bye"),
                URLQueryItem(name: "state", value: state), URLQueryItem(name: "ui_locales", value: "de"),
            ]
        )
        #expect(request.externalUserAgentRequestURL() == request.endSessionRequestURL())
        #expect(request.redirectScheme() == "com.example.app")
    }

    @Test("Uses about:blank if there is no end-session endpoint")
    func nowhere() throws {
        let request = try self.request(end: nil)
        #expect(request.endSessionRequestURL().absoluteString == "about:blank")
        #expect(request.externalUserAgentRequestURL() == nil)
    }

    @Test("Parses the state and retains additional parameters")
    func response() throws {
        let response = try Samples.endSessionResponse()
        #expect(response.state == "state-secret-2")
        #expect(response.additionalParameters?["more"] as? String == "parameter-secret-10")
        #expect(OIDEndSessionResponse(request: response.request, parameters: ["state": ["a", "b"]]).state == nil)
    }
}
