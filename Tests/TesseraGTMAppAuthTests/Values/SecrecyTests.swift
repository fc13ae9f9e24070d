// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import Testing

@Suite("Secrets in value classes")
struct SecrecyTests {
    @Test("Hides secrets in descriptions, reflection and dumps")
    func hidden() throws {
        let token = try #require(OIDIDToken(idTokenString: IDTokenTests.token))
        for value in try Samples.all() as [NSObject] + [token] {
            var dumped = ""
            dump(value, to: &dumped)
            dump([value], to: &dumped)
            let texts = [
                value.description, value.debugDescription, "\(value)", String(reflecting: value), "\([value])", dumped,
                "\(Mirror(reflecting: value).children.map(\.value))",
            ]
            for secret in Samples.secrets {
                #expect(!texts.contains { $0.contains(secret) }, "\(type(of: value)): \(secret)")
            }
        }
    }

    @Test("Shows only public values in descriptions")
    func open() throws {
        #expect(
            try Samples.tokenRequest().description == """
                OIDTokenRequest, client: app, grant type: authorization_code, scope: openid
                """
        )
        #expect(try Samples.configuration().debugDescription == "OIDServiceConfiguration, server: server.example")
    }

    @Test("Sends no client secret or verifier in the page's URL")
    func page() throws {
        let url = try Samples.authorizationRequest().authorizationRequestURL().absoluteString
        #expect(!url.contains("client-secret-1"))
        #expect(!url.contains("verifier-secret-4"))
    }

    @Test("Returns itself as its copy")
    func copy() throws {
        for value in try Samples.all() { #expect(value.copy() as AnyObject === value) }
    }
}
