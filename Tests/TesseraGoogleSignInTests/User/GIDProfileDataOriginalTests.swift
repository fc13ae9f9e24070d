// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
@testable internal import TesseraGoogleSignIn
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Profiles and tokens as in GoogleSignIn")
struct GIDProfileDataOriginalTests {
    private static func profile(picture: String?) -> GIDProfileData {
        GIDProfileData(email: "a@example.com", name: "Ada L", givenName: "Ada", familyName: "L", picture: picture)
    }

    @Test("Has the given values", .original("GoogleSignIn GIDProfileDataTest.testInitialization"))
    func values() {
        let profile = Self.profile(picture: "https://example.com/p")
        #expect(profile.email == "a@example.com")
        #expect(profile.name == "Ada L")
        #expect(profile.givenName == "Ada")
        #expect(profile.familyName == "L")
        #expect(profile.hasImage)
        #expect(!Self.profile(picture: nil).hasImage)
        #expect(Self.profile(picture: nil).imageURL(withDimension: 64) == nil)
    }

    @Test(
        "Adds the size of a picture to its query",
        .original("GoogleSignIn GIDProfileDataTest.testImageURLWithDimension"),
        arguments: [
            (
                "https://lh3.googleusercontent.com/-X/AAA/photo.jpg",
                "https://lh3.googleusercontent.com/-X/AAA/photo.jpg?sz=64"
            ),
            ("https://example.com/photo.jpg?sz=50", "https://example.com/photo.jpg?sz=64"),
            ("https://example.com/photo.jpg?a=1&b=2", "https://example.com/photo.jpg?sz=64"),
            ("https://example.com/p#f", "https://example.com/p?sz=64#f"),
            ("https://example.com/p?a=1#f", "https://example.com/p?sz=64#f"),
            ("http://no.domain/empty", "http://no.domain/empty?sz=64"),
            ("https://example.com/a/x=s1", "https://example.com/a/x=s1?sz=64"),
        ]
    )
    func query(picture: String, expected: String) {
        #expect(Self.profile(picture: picture).imageURL(withDimension: 64)?.absoluteString == expected)
    }

    @Test(
        "Adds the size of an avatar to its path",
        .original("GoogleSignIn GIDProfileDataTest.testImageURLWithDimension"),
        arguments: [
            ("https://lh3.googleusercontent.com/a-/AB", "https://lh3.googleusercontent.com/a-/AB=s64"),
            (
                "https://lh3.googleusercontent.com/a/default-user",
                "https://lh3.googleusercontent.com/a/default-user=s64"
            ),
            ("https://lh3.googleusercontent.com/a/AB=s96-c", "https://lh3.googleusercontent.com/a/AB=s64"),
            ("https://lh3.googleusercontent.com/a/AB=CD=s96-c", "https://lh3.googleusercontent.com/a/AB=s64"),
            ("https://lh3.google.com/a/x=s1?y=1", "https://lh3.google.com/a/x=s64?y=1"),
            ("https://lh3.google.com/a/x?y=1#f", "https://lh3.google.com/a/x=s64?y=1#f"),
        ]
    )
    func path(picture: String, expected: String) {
        #expect(Self.profile(picture: picture).imageURL(withDimension: 64)?.absoluteString == expected)
    }

    @Test(
        "Recognizes every host for avatars",
        .original("GoogleSignIn GIDProfileData.m isFIFEAvatarURL:"),
        arguments: [
            "lh3.google.com", "lh4.googleusercontent.com", "lh5.google.de", "lh6.googleusercontent.org",
            "lh3-tt.googleusercontent.com", "lh4-da.google.com", "lh4-dg.google.com", "lh5-dz.google.com",
            "lh6-testonly.googleusercontent.com",
        ]
    )
    func avatarHosts(host: String) {
        let profile = Self.profile(picture: "https://\(host)/a/x")
        #expect(profile.imageURL(withDimension: 64)?.absoluteString == "https://\(host)/a/x=s64")
    }

    @Test(
        "Recognizes no other host and no other path",
        .original("GoogleSignIn GIDProfileData.m isFIFEAvatarURL:"),
        arguments: [
            "lh2.google.com/a/x", "lh7.google.com/a/x", "lh3-dh.google.com/a/x", "lh3-d.google.com/a/x",
            "lh3-x.google.com/a/x", "lh33.google.com/a/x", "lh3.google.co.uk/a/x", "lh3.foo.google.com/a/x",
            "lh3.example.com/a/x", "lh3.google.c0m/a/x", "google.com/a/x", "lh3.googleusercontent.com/-X/a/photo.jpg",
            "lh3.googleusercontent.com/b/x", "lh3.googleusercontent.com/a", "lh3.google.com:8443/a/x",
        ]
    )
    func otherHosts(place: String) {
        let profile = Self.profile(picture: "https://" + place)
        #expect(profile.imageURL(withDimension: 64)?.absoluteString == "https://\(place)?sz=64")
    }

    @Test(
        "Has no image if the picture is not the URL of a page on the web",
        .original("GoogleSignIn GIDProfileData.m hasImage"),
        arguments: ["http://[", "", "javascript:alert(1)", "data:image/png;base64,AA", "photo.jpg", "https://"]
    )
    func noImage(picture: String) {
        let profile = Self.profile(picture: picture)
        #expect(!profile.hasImage)
        #expect(profile.imageURL(withDimension: 64) == nil)
    }

    @Test("Copies and compares a profile by identity", .original("GoogleSignIn GIDProfileData.m copyWithZone:"))
    func identity() {
        let profile = Self.profile(picture: nil)
        #expect(profile.copy() as? GIDProfileData === profile)
        #expect(profile == profile)
        #expect(profile != Self.profile(picture: nil))
    }

    @Test(
        "Takes a complete profile from the ID token without a request",
        .original("GoogleSignIn GIDSignIn.m profileDataWithIDToken:")
    )
    func completeIDToken() async throws {
        let program = try Program()
        program.issueProfiles()
        let profile = try #require(try await program.signedIn().profile)
        #expect(program.network.requests("/userinfo").isEmpty)
        #expect([profile.email, profile.name] == ["ada@example.com", "Ada Lovelace"])
        #expect([profile.givenName, profile.familyName] == ["Ada", "Lovelace"])
        #expect(
            profile.imageURL(withDimension: 32)?.absoluteString == "https://lh3.googleusercontent.com/a/x=s32"
        )
    }

    @Test(
        "Requests the claims that the ID token lacks, with the token in a header field",
        .original("GoogleSignIn GIDSignIn.m kUserInfoURLTemplate"),
        arguments: ["name", "given_name", "family_name", "picture"]
    )
    func incompleteIDToken(missing: String) async throws {
        let program = try Program()
        let network = program.network
        program.issueProfiles(without: missing)
        network.intercept("/userinfo") { _ in
            .json(
                #"{"sub":"ada","email":"other@example.com","name":"N","given_name":"G","family_name":"F","#
                    + #""picture":"https://example.com/p"}"#
            )
        }
        let user = try await program.signedIn()
        let request = try #require(network.requests("/userinfo").first)
        #expect(network.requests("/userinfo").count == 1)
        #expect(request.head.headerFields[.authorization] == "Bearer \(user.accessToken.tokenString)")
        #expect(request.query.isEmpty)
        let profile = try #require(user.profile)
        #expect(profile.email == "ada@example.com")
        #expect(profile.name == (missing == "name" ? "N" : "Ada Lovelace"))
        #expect(profile.givenName == (missing == "given_name" ? "G" : "Ada"))
        #expect(profile.familyName == (missing == "family_name" ? "F" : "Lovelace"))
        #expect(
            profile.imageURL(withDimension: 1)?.host()
                == (missing == "picture" ? "example.com" : "lh3.googleusercontent.com")
        )
    }

    @Test(
        "Leaves the profile incomplete if the request for it fails",
        .original("GoogleSignIn GIDSignIn.m addDecodeIdTokenCallback:")
    )
    func userInfoFails() async throws {
        let program = try Program()
        program.network.intercept("/userinfo") { _ in .status(.internalServerError) }
        let profile = try #require(try await program.signedIn().profile)
        #expect(profile.email == "ada@example.com")
        #expect(profile.name.isEmpty)
        #expect(profile.givenName == nil)
    }

    @Test(
        "Compares tokens by their text and their dates",
        .original("GoogleSignIn GIDTokenTest.testTokensWithSameTokenStringAndExpirationDateAreEqual"),
        arguments: [
            ("a", nil, "a", nil, true), ("a", 1_000, "a", 1_000, true), ("a", 1_000, "b", 1_000, false),
            ("a", 1_000, "a", 2_000, false), ("a", nil, "a", 1_000, false), ("a", 1_000, "a", nil, false),
        ] as [(String, Double?, String, Double?, Bool)]
    )
    func tokens(_ values: (String, Double?, String, Double?, Bool)) {
        let first = GIDToken(tokenString: values.0, expirationDate: values.1.map { Date(timeIntervalSince1970: $0) })
        let second = GIDToken(tokenString: values.2, expirationDate: values.3.map { Date(timeIntervalSince1970: $0) })
        #expect(first.tokenString == values.0)
        #expect(first.expirationDate?.timeIntervalSince1970 == values.1)
        #expect((first == second) == values.4)
        #expect(first.isEqual(to: second) == values.4)
        #expect((first.hash == second.hash) == values.4)
        #expect(!first.isEqual(values.0))
    }

    @Test("Does not describe the text of a token", .original("GoogleSignIn GIDToken.h"))
    func description() {
        let token = GIDToken(tokenString: "hidden", expirationDate: nil)
        var dumped = ""
        dump(token, to: &dumped)
        for text in [token.description, token.debugDescription, dumped] { #expect(!text.contains("hidden")) }
    }
}
