// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import Testing

@Suite("Secrets of the value classes")
struct SecrecyTests {
    @Test("Are in no description, reflection or dump")
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

    @Test("Are left out of descriptions that say what may be said")
    func open() throws {
        #expect(
            try Samples.tokenRequest().description == """
                OIDTokenRequest, client: app, grant type: authorization_code, scope: openid
                """
        )
        #expect(try Samples.configuration().debugDescription == "OIDServiceConfiguration, server: server.example")
    }

    @Test("Are not in the page's URL")
    func page() throws {
        let url = try Samples.authorizationRequest().authorizationRequestURL().absoluteString
        #expect(!url.contains("client-secret-1"))
        #expect(!url.contains("verifier-secret-4"))
    }

    @Test("A copy is the object itself")
    func copy() throws {
        for value in try Samples.all() { #expect(value.copy() as AnyObject === value) }
    }
}
