// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("OIDServiceConfiguration as in AppAuth")
struct ConfigurationOriginalTests {
    private static func url(_ path: String) throws -> URL { try Samples.url("https://www.example.com/\(path)") }

    @Test(
        "Has the given endpoints and nothing else",
        .original("AppAuth OIDServiceConfigurationTests.testInitializer")
    )
    func endpoints() throws {
        let configuration = OIDServiceConfiguration(
            authorizationEndpoint: try Self.url("auth"),
            tokenEndpoint: try Self.url("token"),
            registrationEndpoint: try Self.url("registration")
        )
        #expect(configuration.authorizationEndpoint.absoluteString == "https://www.example.com/auth")
        #expect(configuration.tokenEndpoint.absoluteString == "https://www.example.com/token")
        #expect(configuration.registrationEndpoint?.absoluteString == "https://www.example.com/registration")
        #expect(configuration.issuer == nil)
        #expect(configuration.endSessionEndpoint == nil)
        #expect(configuration.discoveryDocument == nil)
    }

    @Test(
        "Has the given issuer, registration endpoint and end-session endpoint",
        .original("AppAuth OIDServiceConfiguration.h initializers")
    )
    func issuers() throws {
        let (page, token, issuer) = (try Self.url("auth"), try Self.url("token"), try Self.url("issuer"))
        let (register, end) = (try Self.url("registration"), try Self.url("end"))
        let named = OIDServiceConfiguration(authorizationEndpoint: page, tokenEndpoint: token, issuer: issuer)
        #expect(named.issuer == issuer)
        #expect(named.registrationEndpoint == nil)
        let registering = OIDServiceConfiguration(
            authorizationEndpoint: page,
            tokenEndpoint: token,
            issuer: issuer,
            registrationEndpoint: register
        )
        #expect(registering.issuer == issuer)
        #expect(registering.registrationEndpoint == register)
        #expect(registering.endSessionEndpoint == nil)
        let ending = OIDServiceConfiguration(
            authorizationEndpoint: page,
            tokenEndpoint: token,
            issuer: issuer,
            registrationEndpoint: register,
            endSessionEndpoint: end
        )
        #expect(ending.endSessionEndpoint == end)
        #expect(ending.registrationEndpoint == register)
        #expect(ending.tokenEndpoint == token)
    }

    @Test(
        "Takes its endpoints from a discovery document",
        .original("AppAuth OIDServiceConfiguration initWithDiscoveryDocument:")
    )
    func document() throws {
        let document = try OIDServiceDiscovery(json: Samples.discovery)
        let configuration = OIDServiceConfiguration(discoveryDocument: document)
        #expect(configuration.authorizationEndpoint == document.authorizationEndpoint)
        #expect(configuration.tokenEndpoint == document.tokenEndpoint)
        #expect(configuration.issuer == document.issuer)
        #expect(configuration.registrationEndpoint == document.registrationEndpoint)
        #expect(configuration.endSessionEndpoint == document.endSessionEndpoint)
        #expect(configuration.discoveryDocument === document)
    }

    @Test("Is its own copy", .original("AppAuth OIDServiceConfiguration copyWithZone:"))
    func copy() throws {
        let configuration = try Samples.configuration()
        #expect(configuration.copy() as AnyObject === configuration)
    }

    @Test(
        "Shows the server but not the whole document in its description",
        .original("AppAuth OIDServiceConfiguration description")
    )
    func description() throws {
        let description = try Samples.configuration().description
        #expect(description.hasPrefix("OIDServiceConfiguration"))
        #expect(description.contains("server.example"))
        #expect(!description.contains("response_types_supported"))
    }

    @Test(
        "Sends no token request over http",
        .original("AppAuth OIDServiceConfiguration.h tokenEndpoint")
    )
    func insecure() async throws {
        let program = try AppAuthProgram()
        try await program.run {
            let request = OIDTokenRequest(
                configuration: OIDServiceConfiguration(
                    authorizationEndpoint: program.url("http://www.example.com/auth"),
                    tokenEndpoint: program.url("http://www.example.com/token")
                ),
                grantType: OIDGrantTypeRefreshToken,
                clientID: "client",
                refreshToken: "refresh"
            )
            let caught = try await CaughtError.thrown { try await OIDAuthorizationService.perform(request) }
            #expect(caught.kind == [OIDGeneralErrorDomain, OIDErrorCode.invalidDiscoveryDocument.rawValue])
            #expect(program.network.requests.isEmpty)
        }
    }
}
