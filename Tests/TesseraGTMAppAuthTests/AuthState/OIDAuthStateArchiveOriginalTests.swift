// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraGTMAppAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Archives and descriptions of OIDAuthState")
struct OIDAuthStateArchiveOriginalTests {
    private static func copy(_ state: OIDAuthState) throws -> OIDAuthState {
        try AppAuthArchive.unarchive(OIDAuthState.self, from: try AppAuthArchive.archive(state))
    }

    @Test(
        "An archive keeps the tokens, the scope, the code and a requested refresh",
        .original("AppAuth OIDAuthStateTests.testSecureCoding")
    )
    func roundTrip() async throws {
        #expect(OIDAuthState.supportsSecureCoding)
        let program = try AppAuthProgram.withoutSecret()
        try await program.run {
            let state = try await program.state()
            state.setNeedsTokenRefresh()
            let copy = try Self.copy(state)
            #expect(copy.refreshToken == state.refreshToken)
            #expect(copy.scope == "openid email")
            #expect(copy.isAuthorized)
            let tokens = state.lastTokenResponse
            #expect(copy.lastTokenResponse?.accessToken == tokens?.accessToken)
            #expect(copy.lastTokenResponse?.idToken == tokens?.idToken)
            #expect(copy.lastTokenResponse?.accessTokenExpirationDate == tokens?.accessTokenExpirationDate)
            let code = try #require(state.lastAuthorizationResponse.authorizationCode)
            #expect(copy.lastAuthorizationResponse.authorizationCode == code)
            #expect(await copy.arguments().error == nil)
            #expect(program.network.refreshes.count == 1)
        }
    }

    @Test(
        "An archive keeps the domain and code of an error, even if its user info cannot be archived",
        .original("AppAuth OIDAuthStateTests.testNonCompliantNSCodingNSErrors")
    )
    func error() throws {
        let state = try CodeFlow.state()
        let userInfo: [String: Any] = ["object": NSObject(), NSLocalizedDescriptionKey: "description"]
        state.update(withAuthorizationError: NSError(domain: "app", code: 7, userInfo: userInfo))
        let copy = try Self.copy(state)
        let error = try #require(copy.authorizationError as NSError?)
        #expect(error.domain == "app")
        #expect(error.code == 7)
        #expect(error.userInfo.isEmpty)
        #expect(!copy.isAuthorized)
    }

    @Test("An archive keeps the registration", .original("AppAuth OIDAuthState.m encodeWithCoder:"))
    func registration() throws {
        let copy = try Self.copy(OIDAuthState(registrationResponse: try Samples.registrationResponse()))
        #expect(copy.lastRegistrationResponse?.clientID == "app")
        #expect(!copy.isAuthorized)
    }

    @Test(
        "Foundation's coders read and write the app's own archives",
        .original("AppAuth OIDAuthStateTests.testSecureCoding")
    )
    func foundation() throws {
        let state = try CodeFlow.state()
        let data = try NSKeyedArchiver.archivedData(withRootObject: state, requiringSecureCoding: true)
        let copy = try NSKeyedUnarchiver.unarchivedObject(ofClass: OIDAuthState.self, from: data)
        #expect(copy?.refreshToken == "refresh-1")
        #expect(copy?.isAuthorized == true)
    }

    @Test("A description contains no part of a token", .original("AppAuth OIDAuthState.m description"))
    func description() throws {
        let state = try CodeFlow.state([
            "access_token": "access-secret", "id_token": "id-secret", "refresh_token": "refresh-secret",
        ])
        for text in [state.description, state.debugDescription] {
            #expect(text == "OIDAuthState, authorized")
        }
        state.update(withAuthorizationError: CodeFlow.invalidGrant)
        #expect(state.description == "OIDAuthState, not authorized")
    }
}
