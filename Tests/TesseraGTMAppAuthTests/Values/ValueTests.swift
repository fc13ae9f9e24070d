// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import Testing

@Suite("AppAuth value classes")
struct ValueTests {
    /// An app's subclass, as AppAuth allows it.
    private final class Request: OIDTokenRequest, @unchecked Sendable {
        override func encode(with coder: NSCoder) { super.encode(with: coder) }
    }

    @Test("Can be sent to another task")
    func sendable() async throws {
        let response = try Samples.tokenResponse()
        #expect(await Task.detached { response.accessToken }.value == "access-secret-6")
    }

    @Test("Can be subclassed and still shows no secret")
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

    @Test("Defines the constants of the standards")
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
