// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Authorization and end-session flows")
struct PresentingTests {
    private static func request(_ program: AppAuthProgram, scopes: [String] = ["openid", "email"]) async throws
        -> OIDAuthorizationRequest
    {
        OIDAuthorizationRequest(
            configuration: try await program.configuration(),
            clientId: ScriptedProvider.clientID,
            clientSecret: nil,
            scopes: scopes,
            redirectURL: program.url("com.example.app:/callback"),
            responseType: OIDResponseTypeCode,
            additionalParameters: nil
        )
    }

    @Test("Returns the code and dismisses the page after the user consents")
    func consent() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let (request, agent, ends) = (
                try await Self.request(program), ShownPages(), Results<OIDAuthorizationResponse>()
            )
            let flow = OIDAuthorizationService.present(request, externalUserAgent: agent, callback: ends.take)
            let page = try #require(await agent.next())
            #expect(page == request.authorizationRequestURL().absoluteString)
            let redirect = program.url(try program.network.consent(to: page))
            #expect(flow.resumeExternalUserAgentFlow(with: redirect))
            let response = try await ends.next()
            #expect(response.authorizationCode != nil)
            #expect(response.state == request.state)
            #expect(agent.dismissals == 1)
            #expect(!flow.resumeExternalUserAgentFlow(with: redirect))
        }
    }

    @Test("Accepts a redirect once and fails if the flow is released")
    func once() async throws {
        var options = ScriptedProvider.Options()
        options.requiresClientSecret = false
        let program = try AppAuthProgram(options)
        try await program.run {
            let (request, agent, ends) = (try await Self.request(program), ShownPages(), Results<OIDAuthState>())
            let gate = Gate()
            program.network.intercept("/token") { _ in
                await gate.wait()
                return nil
            }
            let flow = OIDAuthState.authState(byPresenting: request, externalUserAgent: agent, callback: ends.take)
            let page = try #require(await agent.next())
            let redirect = program.url(try program.network.consent(to: page))
            #expect(flow.resumeExternalUserAgentFlow(with: redirect))
            #expect(!flow.resumeExternalUserAgentFlow(with: redirect))
            gate.open()
            #expect(try await ends.next().isAuthorized)
            _ = OIDAuthState.authState(byPresenting: request, externalUserAgent: agent, callback: ends.take)
            let forgotten = await failure { try await ends.next() }
            #expect(forgotten?.code == OIDErrorCode.programCanceledAuthorizationFlow.rawValue)
        }
    }

    @Test("Ignores a forged redirect, another state and another address", .covers(26), .shows(claims: 10))
    func forged() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let (request, agent, ends) = (
                try await Self.request(program), ShownPages(), Results<OIDAuthorizationResponse>()
            )
            let flow = OIDAuthorizationService.present(request, externalUserAgent: agent, callback: ends.take)
            let page = try #require(await agent.next())
            for forged in [
                "com.example.app:/callback?error=access_denied", "com.example.app:/callback?code=c&state=other",
                "com.example.app:/other?code=c&state=\(request.state ?? "")", "https://evil.example/",
                "com.example.app:",
            ] {
                #expect(!flow.resumeExternalUserAgentFlow(with: program.url(forged)), "\(forged)")
            }
            #expect(flow.resumeExternalUserAgentFlow(with: program.url(try program.network.consent(to: page))))
            #expect(try await ends.next().authorizationCode != nil)
        }
    }

    @Test("Reports a denial, a cancellation and an app's error with domain and code")
    func refused() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let request = try await Self.request(program)
            let (agent, ends) = (ShownPages(), Results<OIDAuthorizationResponse>())
            let flow = OIDAuthorizationService.present(request, externalUserAgent: agent, callback: ends.take)
            let page = try #require(await agent.next())
            #expect(flow.resumeExternalUserAgentFlow(with: program.url(try program.network.denial(of: page))))
            let denied = await failure { try await ends.next() }
            #expect(denied?.domain == OIDOAuthAuthorizationErrorDomain)
            #expect(denied?.code == OIDErrorCodeOAuthAuthorization.accessDenied.rawValue)
            let other = OIDAuthorizationService.present(request, externalUserAgent: agent, callback: ends.take)
            other.cancel()
            let canceled = await failure { try await ends.next() }
            #expect(canceled?.code == OIDErrorCode.userCanceledAuthorizationFlow.rawValue)
            let third = OIDAuthorizationService.present(request, externalUserAgent: agent, callback: ends.take)
            third.failExternalUserAgentFlowWithError(NSError(domain: "browser", code: 7))
            #expect(await failure { try await ends.next() }?.domain == "browser")
            #expect(agent.dismissals == 2)
        }
    }

    @Test("Fails if the page cannot be shown or the request has no state")
    func unusable() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let request = try await Self.request(program)
            let ends = Results<OIDAuthorizationResponse>()
            let hidden = ShownPages(shows: false)
            var flow = OIDAuthorizationService.present(request, externalUserAgent: hidden, callback: ends.take)
            let unseen = await failure { try await ends.next() }
            #expect(unseen?.code == OIDErrorCode.safariOpenError.rawValue)
            let stateless = OIDAuthorizationRequest(
                configuration: request.configuration,
                clientId: "client",
                clientSecret: nil,
                scope: nil,
                redirectURL: program.url("com.example.app:/callback"),
                responseType: OIDResponseTypeCode,
                state: nil,
                nonce: nil,
                codeVerifier: nil,
                codeChallenge: nil,
                codeChallengeMethod: nil,
                additionalParameters: nil
            )
            flow = OIDAuthorizationService.present(stateless, externalUserAgent: ShownPages(), callback: ends.take)
            #expect(await failure { try await ends.next() }?.domain == OIDGeneralErrorDomain)
            #expect(!flow.resumeExternalUserAgentFlow(with: program.url("com.example.app:/callback?code=c")))
        }
    }

    @Test("Presents the page, exchanges the code and verifies the ID token in one call")
    func authState() async throws {
        var options = ScriptedProvider.Options()
        options.requiresClientSecret = false
        let program = try AppAuthProgram(options)
        try await program.run {
            let (agent, ends) = (ShownPages(), Results<OIDAuthState>())
            let request = try await Self.request(program)
            let flow = OIDAuthState.authState(byPresenting: request, externalUserAgent: agent, callback: ends.take)
            let page = try #require(await agent.next())
            #expect(flow.resumeExternalUserAgentFlow(with: program.url(try program.network.consent(to: page))))
            let state = try await ends.next()
            #expect(state.isAuthorized)
            #expect(state.lastTokenResponse?.idToken != nil)
            #expect(state.scope == "openid email")
        }
    }

    @Test("Signs the user out at the provider and checks the returned state")
    func endSession() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let request = try Samples.endSessionRequest()
            let (agent, ends) = (ShownPages(), Results<OIDEndSessionResponse>())
            let flow = OIDAuthorizationService.present(request, externalUserAgent: agent, callback: ends.take)
            let page = try #require(await agent.next())
            #expect(page.hasPrefix("https://server.example/end?"))
            #expect(!flow.resumeExternalUserAgentFlow(with: program.url("com.example.app:/bye?state=other")))
            #expect(
                flow.resumeExternalUserAgentFlow(with: program.url("com.example.app:/bye?state=state-secret-2&more=1"))
            )
            let response = try await ends.next()
            #expect(response.state == "state-secret-2")
            #expect(response.additionalParameters?["more"] as? String == "1")
        }
    }
}
