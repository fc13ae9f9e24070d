// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import Testing

@Suite("A class with AppAuth's names")
struct ValueTests {
    /// A program's own class, as AppAuth lets programs write it.
    private final class Request: OIDTokenRequest, @unchecked Sendable {
        override func encode(with coder: NSCoder) { super.encode(with: coder) }
    }

    @Test("Goes from one task to another")
    func sendable() async throws {
        let response = try Samples.tokenResponse()
        #expect(await Task.detached { response.accessToken }.value == "access-secret-6")
    }

    @Test("May be inherited from, and still shows no secret")
    func inherited() throws {
        let request = Request(
            configuration: try Samples.configuration(),
            grantType: OIDGrantTypePassword,
            authorizationCode: "code-secret-5",
            redirectURL: nil,
            clientID: "app",
            clientSecret: "client-secret-1",
            scopes: nil,
            refreshToken: nil,
            codeVerifier: nil,
            additionalParameters: nil
        )
        var dumped = "\(request)"
        dump(request, to: &dumped)
        #expect(!dumped.contains("secret"))
        #expect(request.description == "Request, client: app, grant type: password")
    }

    @Test("Has the constants of the standards")
    func constants() {
        #expect(
            [OIDScopeOpenID, OIDScopeProfile, OIDScopeEmail, OIDScopeAddress, OIDScopePhone].joined(separator: " ")
                == "openid profile email address phone"
        )
        #expect([OIDResponseTypeCode, OIDResponseTypeToken, OIDResponseTypeIDToken] == ["code", "token", "id_token"])
        #expect(OIDGrantTypeClientCredentials == "client_credentials")
        #expect(OIDGrantTypeRefreshToken == "refresh_token")
    }
}
