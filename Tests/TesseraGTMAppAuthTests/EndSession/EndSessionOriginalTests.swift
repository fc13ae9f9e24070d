// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TestTraits
internal import Testing

@Suite("End-session requests as in AppAuth")
struct EndSessionOriginalTests {
    private static let hint = "e30.e30.c2ln"

    /// Returns a request to an end-session endpoint.
    private static func request(
        end: String? = "https://www.example.com/logout",
        parameters: [String: Any]? = ["A": "1"]
    ) throws -> OIDEndSessionRequest {
        OIDEndSessionRequest(
            configuration: OIDServiceConfiguration(
                authorizationEndpoint: try Samples.url("https://www.example.com/auth"),
                tokenEndpoint: try Samples.url("https://www.example.com/token"),
                issuer: nil,
                registrationEndpoint: nil,
                endSessionEndpoint: try end.map { try Samples.url($0) }
            ),
            idTokenHint: Self.hint,
            postLogoutRedirectURL: try Samples.url("com.example.app:/bye"),
            additionalParameters: parameters
        )
    }

    /// Returns the parameters in a URL's query.
    private static func query(_ url: URL) throws -> [String: String] {
        let components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
        let items = (components.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        return Dictionary(items) { first, _ in first + " twice" }
    }

    @Test(
        "Has the state, the ID token and the redirect URL in the page's URL",
        .original("AppAuth OIDEndSessionRequestTests.testLogoutRequestURL")
    )
    func page() throws {
        let request = try Self.request()
        let url = request.endSessionRequestURL()
        #expect(url.absoluteString.hasPrefix("https://www.example.com/logout?"))
        #expect(
            try Self.query(url) == [
                "state": request.state ?? "", "id_token_hint": Self.hint,
                "post_logout_redirect_uri": "com.example.app:/bye", "A": "1",
            ]
        )
    }

    @Test(
        "Creates a state of 43 characters that need no escapes",
        .original("AppAuth OIDEndSessionRequest initWithConfiguration:idTokenHint:postLogoutRedirectURL:")
    )
    func state() throws {
        let state = try #require(try Self.request().state)
        #expect(state.utf8.count == 43)
        #expect(state.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil)
        #expect(try Self.request().state != state)
    }

    @Test(
        "Presents the same URL and expects the scheme of the redirect URL",
        .original("AppAuth OIDEndSessionRequest externalUserAgentRequestURL")
    )
    func userAgent() throws {
        let request = try Self.request()
        #expect(request.externalUserAgentRequestURL() == request.endSessionRequestURL())
        #expect(request.redirectScheme() == "com.example.app")
    }

    @Test(
        "Retains the query of the endpoint",
        .original("AppAuth OIDEndSessionRequest endSessionRequestURL")
    )
    func endpointQuery() throws {
        let url = try Self.request(end: "https://www.example.com/logout?p=1").endSessionRequestURL()
        let query = try Self.query(url)
        #expect(query["p"] == "1")
        #expect(query["id_token_hint"] == Self.hint)
    }

    @Test(
        "Has a blank page without an end-session endpoint, and reports an error when it is presented",
        .original("AppAuth OIDEndSessionRequest endSessionRequestURL")
    )
    func nowhere() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let request = try Self.request(end: nil)
            #expect(request.endSessionRequestURL().absoluteString == "about:blank")
            #expect(request.externalUserAgentRequestURL() == nil)
            let ends = Results<OIDEndSessionResponse>()
            let flow = OIDAuthorizationService.present(request, externalUserAgent: ShownPages(), callback: ends.take)
            let failed = await failure { try await ends.next() }
            #expect(failed?.domain == OIDGeneralErrorDomain)
            #expect(failed?.code == OIDErrorCode.invalidDiscoveryDocument.rawValue)
            withExtendedLifetime(flow) {}
        }
    }

    @Test("Is its own copy", .original("AppAuth OIDEndSessionRequestTests.testCopying"))
    func copy() throws {
        let request = try Self.request()
        #expect(request.copy() as AnyObject === request)
        let response = OIDEndSessionResponse(request: request, parameters: [:])
        #expect((response.copy() as? OIDEndSessionResponse)?.request === request)
    }

    @Test(
        "Keeps all properties of a request in an archive",
        .original("AppAuth OIDEndSessionRequestTests.testSecureCoding")
    )
    func archive() throws {
        let request = try Self.request()
        let data = try AppAuthArchive.archive(request)
        let copy = try AppAuthArchive.unarchive(OIDEndSessionRequest.self, from: data)
        #expect(copy.configuration.endSessionEndpoint == request.configuration.endSessionEndpoint)
        #expect(copy.postLogoutRedirectURL == request.postLogoutRedirectURL)
        #expect(copy.state == request.state)
        #expect(copy.idTokenHint == Self.hint)
        #expect(copy.additionalParameters == ["A": "1"])
    }

    @Test(
        "Has empty additional parameters if none are given",
        .original("AppAuth OIDEndSessionRequest initWithConfiguration:idTokenHint:postLogoutRedirectURL:")
    )
    func noParameters() throws {
        #expect(try Self.request(parameters: nil).additionalParameters == [:])
    }

    @Test(
        "Reads the state of a response and keeps its other parameters, also in an archive",
        .original("AppAuth OIDEndSessionResponse initWithRequest:parameters:")
    )
    func response() throws {
        let response = OIDEndSessionResponse(
            request: try Self.request(),
            parameters: ["state": "s", "more": "1"]
        )
        let data = try AppAuthArchive.archive(response)
        let copy = try AppAuthArchive.unarchive(OIDEndSessionResponse.self, from: data)
        for response in [response, copy] {
            #expect(response.state == "s")
            #expect(response.additionalParameters?["more"] as? String == "1")
            #expect(response.additionalParameters?["state"] == nil)
            #expect(response.request.idTokenHint == Self.hint)
        }
    }

    /// Presents a request and delivers a redirect with its state and other parameters.
    private static func redirected(_ more: String) async throws -> (Result<OIDEndSessionResponse, any Error>, Int) {
        let program = try AppAuthProgram()
        return try await program.run {
            let request = try Self.request()
            let (agent, ends) = (ShownPages(), Results<OIDEndSessionResponse>())
            let flow = OIDAuthorizationService.present(request, externalUserAgent: agent, callback: ends.take)
            _ = try #require(await agent.next())
            let other = program.url("com.example.app:/bye?state=other\(more)")
            #expect(!flow.resumeExternalUserAgentFlow(with: other))
            let redirect = program.url("com.example.app:/bye?state=\(request.state ?? "")\(more)")
            #expect(flow.resumeExternalUserAgentFlow(with: redirect))
            do {
                return (.success(try await ends.next()), agent.dismissals)
            } catch {
                return (.failure(error), agent.dismissals)
            }
        }
    }

    @Test(
        "Calls back with the response after the page has been dismissed, and ignores another state",
        .original("AppAuth OIDEndSessionImplementation resumeExternalUserAgentFlowWithURL:")
    )
    func redirect() async throws {
        let (result, dismissals) = try await Self.redirected("&more=1")
        let response = try result.get()
        #expect(response.state == response.request.state)
        #expect(response.additionalParameters?["more"] as? String == "1")
        #expect(dismissals == 1)
    }

    @Test(
        "Reports an error in the redirect",
        .original("AppAuth OIDEndSessionImplementation resumeExternalUserAgentFlowWithURL:")
    )
    func refused() async throws {
        let (result, dismissals) = try await Self.redirected("&error=access_denied")
        let caught = try await CaughtError.thrown { try result.get() }
        #expect(caught.kind == [OIDOAuthAuthorizationErrorDomain, -4])
        #expect(dismissals == 1)
    }
}
