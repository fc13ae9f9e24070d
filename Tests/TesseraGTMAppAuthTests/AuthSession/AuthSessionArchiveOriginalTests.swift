// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TestTraits
internal import TesseraGTMAppAuth
internal import Testing

@Suite("AuthSession archives, as in GTMAppAuth")
struct AuthSessionArchiveOriginalTests {
    private static func session(verified: String? = "y", idToken: [String: Any]? = nil) throws -> AuthSession {
        var tokens: [String: Any] = ["access_token": "access_token", "refresh_token": "refresh_token"]
        if let idToken { tokens["id_token"] = try SessionSamples.idToken(idToken) }
        return AuthSession(
            authState: try SessionSamples.state(tokens),
            serviceProvider: "fooProvider",
            userID: "123456789",
            userEmail: "foo@foo.com",
            userEmailIsVerified: verified
        )
    }

    private static func copy(_ session: AuthSession) throws -> AuthSession {
        try AppAuthArchive.unarchive(AuthSession.self, from: AppAuthArchive.archive(session))
    }

    @Test("Supports secure coding", .original("GTMAppAuth AuthSession.supportsSecureCoding"))
    func secureCoding() {
        #expect(AuthSession.supportsSecureCoding)
    }

    @Test(
        "Restores all values from an archive",
        .original("GTMAppAuth KeychainStoreTests.testRetrieveAuthSession")
    )
    func roundTrip() throws {
        let copy = try Self.copy(try Self.session())
        #expect(copy.serviceProvider == "fooProvider")
        #expect(copy.userID == "123456789")
        #expect(copy.userEmail == "foo@foo.com")
        #expect(copy.userEmailIsVerified)
        #expect(copy.authState.isAuthorized)
        #expect(copy.authState.refreshToken == "refresh_token")
    }

    @Test("Does not restore a session without a state", .original("GTMAppAuth AuthSession.init(coder:)"))
    func withoutState() throws {
        var plist = try ArchivePlist(AppAuthArchive.archive(Self.session()))
        plist.xml = plist.xml.replacing("<key>authState</key>", with: "<key>otherState</key>")
        let data = try plist.data
        #expect(throws: (any Error).self) { try AppAuthArchive.unarchive(AuthSession.self, from: data) }
    }

    @Test(
        "Archives GTMAppAuth's keys, and the origins if the app has set them",
        .original("GTMAppAuth AuthSession.encode(with:)")
    )
    func keys() throws {
        let session = try Self.session()
        let keys: Set = ["authState", "serviceProvider", "userID", "userEmail", "userEmailIsVerified"]
        let name = "GTMAppAuthFetcherAuthorization"
        #expect(try ArchivePlist(AppAuthArchive.archive(session)).keys(of: name) == keys)
        session.authorizedOrigins = [try .init("https://api.example")]
        #expect(try ArchivePlist(AppAuthArchive.archive(session)).keys(of: name) == keys.union(["authorizedOrigins"]))
        #expect(try Self.copy(session).authorizedOrigins == session.authorizedOrigins)
    }

    @Test(
        "Archives the app's text for a verified address unchanged",
        .original("GTMAppAuth AuthSession.encode(with:)"),
        arguments: ["true", "yes", "1", "no", "0", nil]
    )
    func verifiedText(_ text: String?) throws {
        let session = try Self.session(verified: text)
        let strings = try ArchivePlist(AppAuthArchive.archive(session)).xml
        if let text { #expect(strings.contains("<string>\(text)</string>")) }
        #expect(!strings.contains("<string>y</string>"))
        #expect(!strings.contains("<string>n</string>"))
        #expect(try Self.copy(session).userEmailIsVerified == session.userEmailIsVerified)
    }

    @Test(
        "Archives the text of the email_verified claim, or y or n for a Boolean",
        .original("GTMAppAuth AuthSession.encode(with:)"),
        arguments: ["true", "false"]
    )
    func verifiedClaim(_ text: String) throws {
        let isVerified = text == "true"
        let opposite = isVerified ? "no" : "yes"
        let claims: [String: Any] = ["sub": "123456789", "email": "foo@foo.com", "email_verified": text]
        let textual = try Self.session(verified: opposite, idToken: claims)
        #expect(try ArchivePlist(AppAuthArchive.archive(textual)).xml.contains("<string>\(text)</string>"))
        let flag = claims.merging(["email_verified": isVerified]) { $1 }
        let archive = try ArchivePlist(AppAuthArchive.archive(Self.session(verified: opposite, idToken: flag)))
        #expect(archive.xml.contains("<string>\(isVerified ? "y" : "n")</string>"))
        #expect(!archive.xml.contains("<string>\(opposite)</string>"))
    }

    @Test(
        "Archives sessions under the class name that GTMAppAuth archives",
        .original("GTMAppAuth KeychainStoreTests.testKeyedArchiverClassNameMapping")
    )
    func className() throws {
        let names = try ArchivePlist(AppAuthArchive.archive(Self.session())).classNames()
        #expect(names.contains("GTMAppAuthFetcherAuthorization"))
        #expect(!names.contains { $0.contains("AuthSession") })
    }

    @Test(
        "Reads each of GTMAppAuth's class names",
        .original("GTMAppAuth KeychainStoreTests.testKeyedUnarchiverClassNameMapping"),
        arguments: ["GTMAppAuthFetcherAuthorization", "GTMAuthSession"]
    )
    func otherClassName(name: String) throws {
        var plist = try ArchivePlist(AppAuthArchive.archive(Self.session()))
        plist.xml = plist.xml.replacing("GTMAppAuthFetcherAuthorization", with: name)
        let session = try AppAuthArchive.unarchive(AuthSession.self, from: plist.data)
        #expect(session.userID == "123456789")
        #expect(session.canAuthorize)
    }
}
