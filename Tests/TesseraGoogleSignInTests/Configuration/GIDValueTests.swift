// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
@testable internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import Testing

@Suite("GoogleSignIn value types")
struct GIDValueTests {
    private func archived<Value: NSObject & NSSecureCoding>(_ value: Value) throws -> Value? {
        let data = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data)
    }

    @Test("Restores a configuration from an archive without the client secret")
    func configuration() throws {
        let configuration = GIDConfiguration(
            clientID: "client",
            serverClientID: "server",
            hostedDomain: "example.com",
            openIDRealm: "realm",
            location: .google(clientSecret: Secret("hidden"))
        )
        let copy = try #require(try self.archived(configuration))
        #expect(copy.clientID == "client")
        #expect(copy.serverClientID == "server")
        #expect(copy.hostedDomain == "example.com")
        #expect(copy.openIDRealm == "realm")
        #expect(copy.location == .google(clientSecret: nil))
        #expect(configuration.copy() as? GIDConfiguration === configuration)
    }

    @Test("Restores tokens and profiles from an archive")
    func tokens() throws {
        let token = GIDToken(tokenString: "text", expirationDate: Date(timeIntervalSinceReferenceDate: 1.5))
        #expect(try self.archived(token) == token)
        #expect(token.hash == (try self.archived(token))?.hash)
        let endless = GIDToken(tokenString: "text", expirationDate: nil)
        #expect(try self.archived(endless) == endless)
        #expect(endless != token)
        let profile = GIDProfileData(
            email: "a@example.com",
            name: "Ada",
            givenName: "A",
            familyName: nil,
            picture: "https://example.com/p"
        )
        let copy = try #require(try self.archived(profile))
        #expect(copy.email == profile.email)
        #expect(copy.givenName == "A")
        #expect(copy.familyName == nil)
        #expect(copy.hasImage)
    }

    @Test("Decodes a sparse profile with any unarchiver")
    func sparseProfile() throws {
        let profile = GIDProfileData(email: "a@example.com", name: nil, givenName: nil, familyName: nil, picture: nil)
        let copy = try #require(try self.archived(profile))
        #expect(copy.email == "a@example.com")
        #expect(!copy.hasImage)
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode("not a profile's" as NSString, forKey: "unrelated")
        archiver.encode(NSNumber(value: 1), forKey: "email")
        archiver.finishEncoding()
        // With the default policy, decoding an absent key traps.
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        defer { unarchiver.finishDecoding() }
        let empty = try #require(GIDProfileData(coder: unarchiver))
        #expect(empty.email.isEmpty)
        #expect(!empty.hasImage)
        #expect(GIDToken(coder: unarchiver) == nil)
        #expect(GIDConfiguration(coder: unarchiver) == nil)
    }

    @Test(
        "Requests a picture size in the form that the host supports",
        arguments: [
            ("https://lh3.googleusercontent.com/a/x", "https://lh3.googleusercontent.com/a/x=s64"),
            ("https://lh5.googleusercontent.com/a-/x=s96-c", "https://lh5.googleusercontent.com/a-/x=s64"),
            ("https://lh3.google.com/a/x=s1?y=1", "https://lh3.google.com/a/x=s64?y=1"),
            ("https://lh9.googleusercontent.com/a/x", "https://lh9.googleusercontent.com/a/x?sz=64"),
            ("https://example.com/p?x=1", "https://example.com/p?sz=64"),
            ("http://example.com/p", "http://example.com/p?sz=64"),
            ("javascript:alert(1)", nil), ("", nil),
        ]
    )
    func picture(_ text: String, _ expected: String?) {
        #expect(ProfilePicture(text)?.url(dimension: 64)?.absoluteString == expected)
    }

    @Test("Reads settings from Info.plist, then from the environment")
    func settings() throws {
        let plist = try #require(
            try GIDConfiguration.found(
                infoDictionary: ["GIDClientID": "plist", "GIDHostedDomain": "example.com", "GIDOpenIDRealm": 7],
                environment: ["GID_CLIENT_ID": "variable", "GID_SERVER_CLIENT_ID": "server"]
            )
        )
        #expect(plist.clientID == "plist")
        #expect(plist.hostedDomain == "example.com")
        #expect(plist.serverClientID == "server")
        #expect(plist.openIDRealm == nil)
        let variables = ["GID_CLIENT_ID": "variable", "GID_CLIENT_SECRET": "hidden"]
        let found = try #require(try GIDConfiguration.found(infoDictionary: [:], environment: variables))
        #expect(found.clientID == "variable")
        #expect(found.location == .google(clientSecret: Secret("hidden")))
        #expect(try GIDConfiguration.found(infoDictionary: [:], environment: ["GID_CLIENT_ID": ""]) == nil)
        #expect(throws: InvalidRequestError.self) {
            try GIDConfiguration.found(infoDictionary: [:], environment: ["GID_CLIENT_FILE": "/nonexistent"])
        }
    }

    @Test("Derives the redirect scheme from the reversed client ID")
    func scheme() throws {
        let configuration = GIDConfiguration(clientID: "123-Abc.apps.googleusercontent.com")
        #expect(try configuration.schemeRedirectURI() == "com.googleusercontent.apps.123-abc:/oauth2callback")
    }

    @Test("Rejects a client ID without a redirect scheme", arguments: ["", "client", "a..b", ".a"])
    func noScheme(clientID: String) {
        #expect(throws: GIDSignInError.self) { try GIDConfiguration(clientID: clientID).schemeRedirectURI() }
    }

    @Test("Has codes for errors that Google's library does not distinguish")
    func ownCodes() {
        let codes: [GIDSignInError.Code] = [.accessDenied, .sessionEnded, .invalidConfiguration, .hostedDomainMismatch]
        #expect(codes.map(\.rawValue) == [-12, -13, -14, -15])
    }

    @Test("Uses Google's error domain and codes and suggests a recovery")
    func errors() {
        let numbers = GIDSignInError.Code.allCases.map(\.rawValue)
        #expect(Set(numbers).count == numbers.count)
        #expect(numbers.prefix(10) == [-1, -2, -4, -5, -6, -7, -8, -9, -10, -11])
        let error: any Error = GIDSignInError(.canceled, underlying: TransportError(.timedOut))
        let bridged = error as NSError
        #expect(bridged.domain == kGIDSignInErrorDomain)
        #expect(bridged.code == -5)
        #expect(bridged.userInfo[NSUnderlyingErrorKey] != nil)
        #expect(GIDSignInError.canceled ~= error)
        #expect(!(GIDSignInError.unknown ~= error))
        for code in GIDSignInError.Code.allCases {
            let error = GIDSignInError(code)
            #expect(!error.description.isEmpty)
            #expect(error.recoverySuggestion?.isEmpty == false)
        }
    }
}
