// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
@testable internal import TesseraGoogleSignIn
internal import TestTraits
internal import Testing

@Suite("Archives of GoogleSignIn's values")
struct GIDArchiveOriginalTests {
    /// Lets the unarchiver find the classes, as the first access to a `GIDSignIn` does.
    init() { _ = GIDSignIn(configuration: GIDConfiguration(clientID: "c")) }

    private static func decoded<Value: NSObject & NSSecureCoding>(
        _: Value.Type,
        _ className: String,
        _ members: [String: NSObject]
    ) throws -> Value? {
        try NSKeyedUnarchiver.unarchivedObject(
            ofClass: Value.self,
            from: OriginalArchive.data(className, members)
        )
    }

    @Test(
        "Reads a configuration that Google's library archived",
        .original("GoogleSignIn GIDConfigurationTest.testCoding")
    )
    func configuration() throws {
        let members = [
            "clientID": "c" as NSString, "serverClientID": "s" as NSString, "hostedDomain": "h" as NSString,
            "openIDRealm": "r" as NSString,
        ]
        let configuration = try #require(try Self.decoded(GIDConfiguration.self, "GIDConfiguration", members))
        #expect(configuration.clientID == "c")
        #expect(configuration.serverClientID == "s")
        #expect(configuration.hostedDomain == "h")
        #expect(configuration.openIDRealm == "r")
    }

    @Test("Reads a token that Google's library archived", .original("GoogleSignIn GIDTokenTest.testCoding"))
    func token() throws {
        let date = NSDate(timeIntervalSinceReferenceDate: 1_000)
        let members = ["tokenString": "t" as NSString, "expirationDate": date]
        let token = try #require(try Self.decoded(GIDToken.self, "GIDToken", members))
        #expect(token == GIDToken(tokenString: "t", expirationDate: Date(timeIntervalSinceReferenceDate: 1_000)))
    }

    @Test(
        "Reads a profile that Google's library archived",
        .original("GoogleSignIn GIDProfileDataTest.testCoding")
    )
    func profile() throws {
        let picture = try #require(NSURL(string: "https://example.com/p"))
        let members = [
            "email": "ada@example.com" as NSString, "name": "Ada L" as NSString, "given_name": "Ada" as NSString,
            "family_name": "L" as NSString, "image_url": picture,
        ]
        let profile = try #require(try Self.decoded(GIDProfileData.self, "GIDProfileData", members))
        #expect(profile.email == "ada@example.com")
        #expect(profile.name == "Ada L")
        #expect(profile.givenName == "Ada")
        #expect(profile.familyName == "L")
        #expect(profile.imageURL(withDimension: 1)?.absoluteString == "https://example.com/p?sz=1")
    }

    @Test(
        "Reads a profile of an earlier version, whose picture is a string",
        .original("GoogleSignIn GIDProfileDataTest.testOldArchiveFormat")
    )
    func oldProfile() throws {
        let members = [
            "email": "ada@example.com" as NSString, "name": "Ada" as NSString,
            "picture": "https://example.com/photo.jpg" as NSString,
        ]
        let profile = try #require(try Self.decoded(GIDProfileData.self, "GIDProfileData", members))
        #expect(profile.givenName == nil)
        #expect(profile.familyName == nil)
        #expect(profile.hasImage)
        #expect(profile.imageURL(withDimension: 100)?.absoluteString == "https://example.com/photo.jpg?sz=100")
    }

    @Test(
        "Prefers the string of an earlier version if an archive has both pictures",
        .original("GoogleSignIn GIDProfileData.m initWithCoder:")
    )
    func bothPictures() throws {
        let members = [
            "email": "a" as NSString, "name": "b" as NSString, "picture": "https://example.com/old" as NSString,
            "image_url": "https://example.com/new" as NSString,
        ]
        let profile = try #require(try Self.decoded(GIDProfileData.self, "GIDProfileData", members))
        #expect(profile.imageURL(withDimension: 1)?.absoluteString == "https://example.com/old?sz=1")
    }

    @Test(
        "Uses module-qualified class names at run time so that GoogleSignIn can be linked too",
        .original("GoogleSignIn GIDToken.h")
    )
    func classNames() {
        let types: [AnyClass] = [GIDConfiguration.self, GIDGoogleUser.self, GIDProfileData.self, GIDToken.self]
        for type in types {
            let name = NSStringFromClass(type)
            #expect(name.hasPrefix("TesseraGoogleSignIn."), "\(name)")
        }
    }

    @Test(
        "Restores all values of a configuration from its own archive",
        .original("GoogleSignIn GIDConfigurationTest.testCoding")
    )
    func ownConfiguration() throws {
        #expect(GIDConfiguration.supportsSecureCoding)
        let copy = try #require(
            try archived(
                GIDConfiguration(clientID: "c", serverClientID: "s", hostedDomain: "h", openIDRealm: "r")
            )
        )
        #expect([copy.clientID, copy.serverClientID, copy.hostedDomain, copy.openIDRealm] == ["c", "s", "h", "r"])
    }

    @Test(
        "Archives a configuration with the keys of Google's library",
        .original("GoogleSignIn GIDConfiguration.m encodeWithCoder:"),
        arguments: [("clientID", "c"), ("serverClientID", "s"), ("hostedDomain", "h"), ("openIDRealm", "r")]
    )
    func configurationKeys(key: String, value: String) throws {
        let configuration = GIDConfiguration(clientID: "c", serverClientID: "s", hostedDomain: "h", openIDRealm: "r")
        #expect(try encodedValue(key, of: configuration) as? String == value)
    }

    @Test(
        "Decodes no configuration without a client ID",
        .original("GoogleSignIn GIDConfiguration.m initWithCoder:")
    )
    func noClientID() throws {
        let coder = try OriginalArchive.coder(["hostedDomain": "h" as NSString])
        defer { coder.finishDecoding() }
        #expect(GIDConfiguration(coder: coder) == nil)
    }

    @Test("Decodes no token without a string", .original("GoogleSignIn GIDToken.m initWithCoder:"))
    func noTokenString() throws {
        let coder = try OriginalArchive.coder(["expirationDate": NSDate(timeIntervalSinceReferenceDate: 1)])
        defer { coder.finishDecoding() }
        #expect(GIDToken(coder: coder) == nil)
    }

    @Test(
        "Restores a token from its own archive, which has the keys of Google's library",
        .original("GoogleSignIn GIDTokenTest.testCoding"),
        arguments: [nil, Date(timeIntervalSinceReferenceDate: 1_000)]
    )
    func ownToken(date: Date?) throws {
        #expect(GIDToken.supportsSecureCoding)
        let token = GIDToken(tokenString: "t", expirationDate: date)
        #expect(try archived(token) == token)
        #expect(try encodedValue("tokenString", of: token) as? String == "t")
        #expect(
            try (encodedValue("expirationDate", of: token) as? NSDate)?.timeIntervalSinceReferenceDate
                == date?.timeIntervalSinceReferenceDate
        )
    }

    @Test(
        "Restores all values of a profile from its own archive",
        .original("GoogleSignIn GIDProfileDataTest.testCoding")
    )
    func ownProfile() throws {
        #expect(GIDProfileData.supportsSecureCoding)
        let profile = GIDProfileData(
            email: "a@example.com",
            name: "Ada L",
            givenName: "Ada",
            familyName: "L",
            picture: "http://no.domain/empty"
        )
        let copy = try #require(try archived(profile))
        #expect(copy.hasSameValues(as: profile))
        #expect(copy.imageURL(withDimension: 0)?.absoluteString == "http://no.domain/empty?sz=0")
    }

    @Test(
        "Archives the picture as a URL, which Google's library reads",
        .original("GoogleSignIn GIDProfileData.m encodeWithCoder:")
    )
    func pictureIsURL() throws {
        let profile = GIDProfileData(
            email: "a",
            name: "b",
            givenName: "c",
            familyName: "d",
            picture: "https://example.com/p"
        )
        #expect(try (encodedValue("image_url", of: profile) as? NSURL)?.absoluteString == "https://example.com/p")
        #expect(try encodedValue("given_name", of: profile) as? String == "c")
        #expect(try encodedValue("family_name", of: profile) as? String == "d")
    }
}
