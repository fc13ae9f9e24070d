// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("The page is shown, and the redirect comes back")
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

    @Test("Somebody consents: the response has the code, the page is taken away, the flow takes nothing any more")
    func consent() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let (request, agent, ends) = (
                try await Self.request(program), ShownPages(), Answers<OIDAuthorizationResponse>()
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

    @Test("An answer that comes twice counts once; a flow that nobody holds ends with an error")
    func once() async throws {
        var options = ScriptedProvider.Options()
        options.demandsClientSecret = false
        let program = try AppAuthProgram(options)
        try await program.run {
            let (request, agent, ends) = (try await Self.request(program), ShownPages(), Answers<OIDAuthState>())
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

    @Test("A forged redirect, another state and another address change nothing", .covers(26), .shows(claims: 10))
    func forged() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let (request, agent, ends) = (
                try await Self.request(program), ShownPages(), Answers<OIDAuthorizationResponse>()
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

    @Test("The person's no has the domain of the authorization; the program's own end is a code of AppAuth's")
    func refused() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let request = try await Self.request(program)
            let (agent, ends) = (ShownPages(), Answers<OIDAuthorizationResponse>())
            let flow = OIDAuthorizationService.present(request, externalUserAgent: agent, callback: ends.take)
            let page = try #require(await agent.next())
            #expect(flow.resumeExternalUserAgentFlow(with: program.url(try program.network.denial(of: page))))
            let denied = await failure { try await ends.next() }
            #expect(denied?.domain == OIDOAuthAuthorizationErrorDomain)
            #expect(denied?.code == OIDErrorCodeOAuthAuthorization.accessDenied.rawValue)
            let other = OIDAuthorizationService.present(request, externalUserAgent: agent, callback: ends.take)
            other.cancel()
            let cancelled = await failure { try await ends.next() }
            #expect(cancelled?.code == OIDErrorCode.programCanceledAuthorizationFlow.rawValue)
            let third = OIDAuthorizationService.present(request, externalUserAgent: agent, callback: ends.take)
            third.failExternalUserAgentFlowWithError(NSError(domain: "browser", code: 7))
            #expect(await failure { try await ends.next() }?.domain == "browser")
            #expect(agent.dismissals == 3)
        }
    }

    @Test("A page that cannot be shown, and a request whose answer nobody would know, are errors")
    func unusable() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let request = try await Self.request(program)
            let ends = Answers<OIDAuthorizationResponse>()
            let hidden = ShownPages(shows: false)
            var flow = OIDAuthorizationService.present(request, externalUserAgent: hidden, callback: ends.take)
            let unseen = await failure { try await ends.next() }
            #expect(unseen?.code == OIDErrorCode.browserOpenError.rawValue)
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

    @Test("A state comes from the page and the exchange in one call, its ID token verified")
    func authState() async throws {
        var options = ScriptedProvider.Options()
        options.demandsClientSecret = false
        let program = try AppAuthProgram(options)
        try await program.run {
            let (agent, ends) = (ShownPages(), Answers<OIDAuthState>())
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

    @Test("The person is signed out at the provider, and comes back with the state that was sent")
    func endSession() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let request = try Samples.endSessionRequest()
            let (agent, ends) = (ShownPages(), Answers<OIDEndSessionResponse>())
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
