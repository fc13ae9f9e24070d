// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("OIDAuthorizationService registers programs and reads configurations")
struct RegisteringTests {
    private static func request(_ program: AppAuthProgram) -> OIDRegistrationRequest {
        OIDRegistrationRequest(
            configuration: OIDServiceConfiguration(
                authorizationEndpoint: program.url(ScriptedProvider.issuer + "/authorize"),
                tokenEndpoint: program.url(ScriptedProvider.issuer + "/token"),
                registrationEndpoint: program.url(ScriptedProvider.issuer + "/register")
            ),
            redirectURIs: [program.url("com.example.app:/callback")],
            responseTypes: nil,
            grantTypes: nil,
            subjectType: nil,
            tokenEndpointAuthMethod: "none",
            initialAccessToken: "initial-1",
            additionalParameters: ["client_name": "Notes"]
        )
    }

    @Test("A program is registered, with its initial token in the header and its metadata in the body")
    func registers() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            program.network.intercept("/register") { _ in
                .json(#"{"client_id":"new","client_name":"Notes"}"#, status: .created)
            }
            let response = try await OIDAuthorizationService.perform(Self.request(program))
            #expect(response.clientID == "new")
            #expect(response.additionalParameters?["client_name"] as? String == "Notes")
            let sent = try #require(program.network.requests("/register").first)
            #expect(sent.head.method == .post)
            #expect(sent.head.headerFields[.authorization] == "Bearer initial-1")
            let members = try #require(JSONSerialization.jsonObject(with: Data(sent.body)) as? [String: Any])
            #expect(members["redirect_uris"] as? [String] == ["com.example.app:/callback"])
            #expect(members["application_type"] as? String == "native")
            #expect(members["client_name"] as? String == "Notes")
            let state = OIDAuthState(registrationResponse: response)
            #expect(state.lastRegistrationResponse?.clientID == "new")
            #expect(!state.isAuthorized)
        }
    }

    @Test("A refusal has the domain of the registration, and a registration without what it has to have is an error")
    func refused() async throws {
        let program = try AppAuthProgram()
        await program.run {
            program.network.intercept("/register") { _ in
                .json(#"{"error":"invalid_redirect_uri"}"#, status: .badRequest)
            }
            let refused = await failure { try await OIDAuthorizationService.perform(Self.request(program)) }
            #expect(refused?.domain == OIDOAuthRegistrationErrorDomain)
            #expect(refused?.code == OIDErrorCodeOAuthRegistration.invalidRedirectURI.rawValue)
            program.network.intercept("/register") { _ in .json("{}", status: .created) }
            let empty = await failure { try await OIDAuthorizationService.perform(Self.request(program)) }
            #expect(empty?.domain == OIDGeneralErrorDomain)
            let answers = Answers<OIDRegistrationResponse>()
            OIDAuthorizationService.perform(Self.request(program), completion: answers.take)
            #expect(await failure { try await answers.next() }?.domain == OIDGeneralErrorDomain)
        }
    }

    @Test("A configuration is read where the program says; an issuer's own place has to name that issuer")
    func discoveryURL() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let place = ScriptedProvider.issuer + "/.well-known/openid-configuration"
            let own = try await OIDAuthorizationService.discoverConfiguration(forDiscoveryURL: program.url(place))
            #expect(own.issuer?.absoluteString == ScriptedProvider.issuer)
            program.network.intercept("/policy") { _ in .json(AppAuthProgram.document(issuer: "https://b2c.example")) }
            let url = program.url(ScriptedProvider.issuer + "/policy?p=sign-in")
            let other = try await OIDAuthorizationService.discoverConfiguration(forDiscoveryURL: url)
            #expect(other.issuer?.absoluteString == "https://b2c.example")
            program.network.intercept("/.well-known/openid-configuration") { _ in
                .json(AppAuthProgram.document(issuer: "https://evil.example"))
            }
            let answers = Answers<OIDServiceConfiguration>()
            OIDAuthorizationService.discoverConfiguration(
                forDiscoveryURL: program.url(place),
                completion: answers.take
            )
            let refused = await failure { try await answers.next() }
            #expect(refused?.code == OIDErrorCode.invalidDiscoveryDocument.rawValue)
            program.network.intercept("/policy") { _ in .status(.notFound) }
            let missing = await failure {
                try await OIDAuthorizationService.discoverConfiguration(forDiscoveryURL: url)
            }
            #expect(missing?.code == OIDErrorCode.serverError.rawValue)
        }
    }

    #if !canImport(UIKit)
    @Test("A system without the program that should open the page ends the wait with an error")
    func noBrowser() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let answers = Answers<OIDEndSessionResponse>()
            let flow = OIDAuthorizationService.present(
                try Samples.endSessionRequest(),
                externalUserAgent: OIDExternalUserAgentSystemBrowser(command: "/nowhere/browser %s"),
                callback: answers.take
            )
            let failed = await failure { try await answers.next() }
            #expect(failed?.code == OIDErrorCode.browserOpenError.rawValue)
            withExtendedLifetime(flow) {}
        }
    }
    #endif
}
