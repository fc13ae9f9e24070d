// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
@testable internal import TesseraGoogleSignIn
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Claims as in GoogleSignIn")
struct GIDClaimOriginalTests {
    @Test(
        "Requests the time of the sign-in as a voluntary claim",
        .original("GoogleSignIn GIDClaimTest.testAuthTimeClaim_PropertiesAreCorrect")
    )
    func authTime() {
        #expect(GIDClaim.authTime().name == kAuthTimeClaimName)
        #expect(kAuthTimeClaimName == "auth_time")
        #expect(!GIDClaim.authTime().isEssential)
    }

    @Test(
        "Requests the time of the sign-in as an essential claim",
        .original("GoogleSignIn GIDClaimTest.testEssentialAuthTimeClaim_PropertiesAreCorrect")
    )
    func essentialAuthTime() {
        #expect(GIDClaim.essentialAuthTime().name == "auth_time")
        #expect(GIDClaim.essentialAuthTime().isEssential)
    }

    @Test(
        "Requests the authentication methods as a voluntary claim",
        .original("GoogleSignIn GIDClaimTest.testAMRClaim_PropertiesAreCorrect")
    )
    func amr() {
        #expect(GIDClaim.amr().name == kAMRClaimName)
        #expect(kAMRClaimName == "amr")
        #expect(!GIDClaim.amr().isEssential)
    }

    @Test(
        "Requests the authentication methods as an essential claim",
        .original("GoogleSignIn GIDClaimTest.testEssentialAMRClaim_PropertiesAreCorrect")
    )
    func essentialAMR() {
        #expect(GIDClaim.essentialAMR().name == "amr")
        #expect(GIDClaim.essentialAMR().isEssential)
    }

    @Test("Compares claims by name and importance", .original("GoogleSignIn GIDClaimTest.testEquality_WithEqualClaims"))
    func equality() {
        #expect(GIDClaim.amr() == GIDClaim.amr())
        #expect(GIDClaim.amr().hash == GIDClaim.amr().hash)
        #expect(Set([GIDClaim.amr(), .amr(), .authTime()]).count == 2)
        #expect(GIDClaim.amr() != GIDClaim.essentialAMR())
        #expect(GIDClaim.amr() != GIDClaim.authTime())
    }

    @Test(
        "Sends no claims parameter without claims",
        .original(
            "GoogleSignIn GIDClaimsInternalOptions.m validatedJSONStringForClaims:"
        ),
        arguments: [nil, []] as [Set<GIDClaim>?]
    )
    func noClaims(claims: Set<GIDClaim>?) async throws {
        let program = try Program()
        let presenter = program.presenter()
        try await program.google.signIn(withPresenting: presenter, claims: claims)
        #expect(presenter.userAgent.parameter("claims") == nil)
    }

    @Test(
        "Sends the claims in the JSON of Google's library",
        .original(
            "GoogleSignIn GIDClaimsInternalOptions.m validatedJSONStringForClaims:"
        ),
        arguments: [
            ([.essentialAuthTime()], #"{"auth_time":{"essential":true}}"#),
            ([.authTime()], #"{"auth_time":{"essential":false}}"#),
            ([.essentialAMR()], #"{"amr":{"essential":true}}"#),
            ([.amr(), .essentialAuthTime()], #"{"amr":{"essential":false},"auth_time":{"essential":true}}"#),
            ([.amr(), .authTime()], #"{"amr":{"essential":false},"auth_time":{"essential":false}}"#),
        ] as [(Set<GIDClaim>, String)]
    )
    func json(claims: Set<GIDClaim>, json: String) async throws {
        let program = try Program()
        let presenter = program.presenter()
        let user = try await program.google.signIn(withPresenting: presenter, hint: "a&b", claims: claims).user
        #expect(presenter.userAgent.parameter("claims") == #"{"id_token":\#(json)}"#)
        #expect(presenter.userAgent.parameter("login_hint") == "a&b")
        #expect(user.userID == "ada")
    }

    @Test(
        "Ignores a forged redirect during a sign-in with voluntary claims and then completes",
        .original("GoogleSignIn GIDSignInTest.testOAuthLogin_WithClaims_FormatsParametersCorrectly")
    )
    func forgedRedirect() async throws {
        let program = try Program()
        let network = program.network
        let presenter = Presenter(
            ScriptedUserAgent { url in
                [ScriptedUserAgent.redirectURI + "?code=forged&state=forged", try network.consent(to: url)]
            }
        )
        let user = try await program.google.signIn(withPresenting: presenter, claims: [.amr()]).user
        #expect(user.userID == "ada")
        #expect(presenter.userAgent.reasons.count == 1)
        #expect(presenter.userAgent.pages.count == 1)
    }

    @Test(
        "Reports a closed page of a sign-in with voluntary claims as canceled",
        .original("GoogleSignIn GIDSignInTest.testOAuthLogin_ModalCanceled")
    )
    func closedPage() async throws {
        let program = try Program()
        let closing = Presenter(ScriptedUserAgent { _ in throw SignInError(.canceled) })
        #expect(await code { try await program.google.signIn(withPresenting: closing, claims: [.amr()]) } == .canceled)
    }

    @Test(
        "Rejects a claim that is both essential and voluntary before the page opens",
        .original("GoogleSignIn GIDSignInTest.testOAuthLogin_Claims_FailsWithError")
    )
    func conflict() async throws {
        let program = try Program()
        let presenter = program.presenter()
        do {
            try await program.google.signIn(withPresenting: presenter, claims: [.authTime(), .essentialAuthTime()])
            Issue.record("The claims contradict each other.")
        } catch {
            let error = error as NSError
            #expect(error.domain == kGIDSignInErrorDomain)
            #expect(error.code == -7)
            #expect(error.localizedDescription.contains("auth_time"))
        }
        #expect(presenter.userAgent.authorizationURLs.isEmpty)
    }

    @Test(
        "Returns an ID token with the requested claim",
        .original("GoogleSignIn GIDSignInTest.testOAuthLogin_WithClaims_ReturnsIdTokenWithCorrectClaims")
    )
    func value() async throws {
        let program = try Program()
        program.issue([JSONMember(name: "amr", value: ["pwd", "otp"])])
        let user = try await program.google.signIn(withPresenting: program.presenter(), claims: [.amr()]).user
        let token = try #require(user.idToken?.tokenString)
        let claims = try IDTokenClaims(unverified: Secret(token))
        #expect(claims.document["amr"]?.elements?.compactMap(\.string) == ["pwd", "otp"])
        #expect(claims.document["auth_time"] != nil)
    }

    @Test(
        "Accepts an ID token without an essential claim other than the time of the sign-in",
        .original("GoogleSignIn GIDSignIn.m addDecodeIdTokenCallback:")
    )
    func missingEssentialClaim() async throws {
        let program = try Program()
        let result = try await program.google.signIn(withPresenting: program.presenter(), claims: [.essentialAMR()])
        #expect(result.user.userID == "ada")
    }

    @Test(
        "Rejects an ID token without an essential time of the sign-in",
        .original("GoogleSignIn GIDSignIn.m addDecodeIdTokenCallback:")
    )
    func missingAuthTime() async throws {
        let program = try Program()
        let network = program.network
        network.options.idTokens = { claims, _ in try network.sign(claims.filter { $0.name != "auth_time" }) }
        let call = { (claim: GIDClaim) in
            await code { try await program.google.signIn(withPresenting: program.presenter(), claims: [claim]) }
        }
        #expect(await call(.essentialAuthTime()) == .unknown)
        #expect(await call(.authTime()) == nil)
    }
}
