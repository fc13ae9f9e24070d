// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraGTMAppAuth
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

@Suite("OIDAuthorizationService registration and discovery")
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

    @Test("Registers a client with its initial access token and metadata")
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

    @Test("Reports a rejected or incomplete registration")
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
            let responses = Results<OIDRegistrationResponse>()
            OIDAuthorizationService.perform(Self.request(program), completion: responses.take)
            #expect(await failure { try await responses.next() }?.domain == OIDGeneralErrorDomain)
        }
    }

    @Test("Discovers a configuration at a URL and checks the issuer of a well-known URL")
    func discoveryURL() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let location = ScriptedProvider.issuer + "/.well-known/openid-configuration"
            let own = try await OIDAuthorizationService.discoverConfiguration(forDiscoveryURL: program.url(location))
            #expect(own.issuer?.absoluteString == ScriptedProvider.issuer)
            program.network.intercept("/policy") { _ in .json(AppAuthProgram.document(issuer: "https://b2c.example")) }
            let url = program.url(ScriptedProvider.issuer + "/policy?p=sign-in")
            let other = try await OIDAuthorizationService.discoverConfiguration(forDiscoveryURL: url)
            #expect(other.issuer?.absoluteString == "https://b2c.example")
            program.network.intercept("/.well-known/openid-configuration") { _ in
                .json(AppAuthProgram.document(issuer: "https://evil.example"))
            }
            let responses = Results<OIDServiceConfiguration>()
            OIDAuthorizationService.discoverConfiguration(
                forDiscoveryURL: program.url(location),
                completion: responses.take
            )
            let refused = await failure { try await responses.next() }
            #expect(refused?.code == OIDErrorCode.invalidDiscoveryDocument.rawValue)
            program.network.intercept("/policy") { _ in .status(.notFound) }
            let missing = await failure {
                try await OIDAuthorizationService.discoverConfiguration(forDiscoveryURL: url)
            }
            #expect(missing?.code == OIDErrorCode.networkError.rawValue)
        }
    }

    #if !canImport(UIKit)
    @Test("Reports an error if the browser command does not exist")
    func noBrowser() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let responses = Results<OIDEndSessionResponse>()
            let flow = OIDAuthorizationService.present(
                try Samples.endSessionRequest(),
                externalUserAgent: OIDExternalUserAgentSystemBrowser(command: "/nowhere/browser %s"),
                callback: responses.take
            )
            let failed = await failure { try await responses.next() }
            #expect(failed?.code == OIDErrorCode.browserOpenError.rawValue)
            withExtendedLifetime(flow) {}
        }
    }
    #endif
}
