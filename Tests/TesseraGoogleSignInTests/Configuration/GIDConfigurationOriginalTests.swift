// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
@testable internal import TesseraGoogleSignIn
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("GIDConfiguration and Info.plist as in GoogleSignIn")
struct GIDConfigurationOriginalTests {
    private static func found(_ infoDictionary: [String: Any]) throws -> GIDConfiguration? {
        try GIDConfiguration.found(infoDictionary: infoDictionary, environment: [:])
    }

    private static func values(_ configuration: GIDConfiguration?) -> [String?]? {
        configuration.map { [$0.clientID, $0.serverClientID, $0.hostedDomain, $0.openIDRealm] }
    }

    @Test(
        "Reads the client ID from Info.plist and leaves missing settings nil",
        .original("GoogleSignIn GIDSignInTest.testInitWithKeychainStore")
    )
    func clientIDOnly() throws {
        #expect(Self.values(try Self.found(["GIDClientID": "client"])) == ["client", nil, nil, nil])
    }

    @Test(
        "Reads all four settings from Info.plist",
        .original("GoogleSignIn GIDSignInTest.testInitWithKeychainStore_fullConfig")
    )
    func allSettings() throws {
        let configuration = try Self.found([
            "GIDClientID": "client", "GIDServerClientID": "server", "GIDHostedDomain": "example.com",
            "GIDOpenIDRealm": "realm",
        ])
        #expect(Self.values(configuration) == ["client", "server", "example.com", "realm"])
    }

    @Test(
        "Finds no configuration in an Info.plist without a client ID",
        .original("GoogleSignIn GIDSignInTest.testInitWithKeychainStore_noConfig")
    )
    func noClientID() throws {
        #expect(try Self.found([:]) == nil)
        #expect(try Self.found(["GIDServerClientID": "server", "GIDHostedDomain": "example.com"]) == nil)
    }

    @Test(
        "Ignores a client ID that is not a string",
        .original("GoogleSignIn GIDSignInTest.testInitWithKeychainStore_invalidConfig")
    )
    func otherType() throws {
        #expect(try Self.found(["GIDClientID": ["a", "b"]]) == nil)
        #expect(try Self.found(["GIDClientID": 7]) == nil)
    }

    @Test(
        "Ignores an optional setting that is not a string",
        .original("GoogleSignIn GIDConfiguration.m configValueFromBundle:forKey:")
    )
    func optionalOfOtherType() throws {
        let configuration = try Self.found(["GIDClientID": "client", "GIDHostedDomain": 7, "GIDOpenIDRealm": [1]])
        #expect(Self.values(configuration) == ["client", nil, nil, nil])
    }

    @Test(
        "Returns a configuration for an empty client ID, with which no user can sign in",
        .original("GoogleSignIn GIDSignInTest.testClientIDMissingException")
    )
    func emptyClientID() async throws {
        #expect(Self.values(try Self.found(["GIDClientID": ""])) == ["", nil, nil, nil])
        let google = GoogleApp().launched { GIDConfiguration(clientID: "") }
        let presenter = Presenter(ScriptedUserAgent { _ in [] })
        #expect(await code { try await google.signIn(withPresenting: presenter) } == .invalidConfiguration)
        #expect(presenter.userAgent.authorizationURLs.isEmpty)
    }

    @Test(
        "Returns the same configuration object at each read",
        .original("GoogleSignIn GIDSignIn.h configuration")
    )
    func isSameObject() throws {
        let google = GoogleApp().launched { GIDConfiguration(clientID: GoogleApp.clientID) }
        let configuration = try #require(google.configuration)
        #expect(google.configuration === configuration)
        #expect(configuration.clientID == GoogleApp.clientID)
    }

    @Test(
        "Clears the configuration if the app sets it to nil",
        .original("GoogleSignIn GIDSignIn.h configuration")
    )
    func setToNil() async {
        let google = GoogleApp().launched { GIDConfiguration(clientID: GoogleApp.clientID) }
        google.configuration = nil
        #expect(google.configuration == nil)
        let presenter = Presenter(ScriptedUserAgent { _ in [] })
        #expect(await code { try await google.signIn(withPresenting: presenter) } == .invalidConfiguration)
        #expect(presenter.userAgent.authorizationURLs.isEmpty)
        google.configuration = GIDConfiguration(clientID: "other")
        #expect(google.configuration?.clientID == "other")
    }

    @Test(
        "Initializers leave the settings that they do not take nil",
        .original("GoogleSignIn GIDConfigurationTest.testFullInitializer")
    )
    func initializers() {
        #expect(Self.values(GIDConfiguration(clientID: "c")) == ["c", nil, nil, nil])
        #expect(Self.values(GIDConfiguration(clientID: "c", serverClientID: "s")) == ["c", "s", nil, nil])
        let full = GIDConfiguration(clientID: "c", serverClientID: "s", hostedDomain: "h", openIDRealm: "r")
        #expect(Self.values(full) == ["c", "s", "h", "r"])
    }

    @Test(
        "Describes a configuration with its four values and its address",
        .original("GoogleSignIn GIDConfigurationTest.testDescription")
    )
    func description() {
        let configuration = GIDConfiguration(clientID: "c", serverClientID: "s", hostedDomain: "h")
        let address = String(UInt(bitPattern: ObjectIdentifier(configuration)), radix: 16)
        let text =
            "<GIDConfiguration: 0x\(address), clientID: c, serverClientID: s, hostedDomain: h, openIDRealm: (null)>"
        #expect(configuration.description == text)
    }

    @Test(
        "Does not describe the client secret",
        .original("GoogleSignIn GIDConfigurationTest.testDescription")
    )
    func secretIsHidden() throws {
        let configuration = try #require(
            try GIDConfiguration.found(
                infoDictionary: [:],
                environment: ["GID_CLIENT_ID": "c", "GID_CLIENT_SECRET": "hidden"]
            )
        )
        #expect(!configuration.description.contains("hidden"))
    }

    @Test("Returns itself as a copy", .original("GoogleSignIn GIDConfigurationTest.testCopying"))
    func copying() {
        let configuration = GIDConfiguration(clientID: "c")
        #expect(configuration.copy() as? GIDConfiguration === configuration)
    }

    @Test(
        "Compares configurations by identity",
        .original("GoogleSignIn GIDConfiguration.h")
    )
    func equality() {
        let configuration = GIDConfiguration(clientID: "c")
        #expect(configuration == configuration)
        #expect(configuration != GIDConfiguration(clientID: "c"))
    }

    @Test(
        "Derives one lowercase scheme from the reversed labels of the client ID",
        .original("GoogleSignIn GIDSignInCallbackSchemesTest.testClientIdentifierScheme"),
        arguments: [
            ("123-Abc.apps.googleusercontent.com", "com.googleusercontent.apps.123-abc"), ("A.b", "b.a"),
        ]
    )
    func scheme(clientID: String, scheme: String) throws {
        #expect(try GIDConfiguration(clientID: clientID).schemeRedirectURI() == scheme + ":/oauth2callback")
    }

    @Test(
        "Rejects a client ID without a dot, whose scheme any app could use",
        .original("GoogleSignIn GIDSignInCallbackSchemesTest.testClientIdentifierScheme")
    )
    func noDot() async {
        let configuration = GIDConfiguration(clientID: "client")
        #expect(await code { try configuration.schemeRedirectURI() } == .invalidConfiguration)
    }

    @Test(
        "Finds the client's scheme in any URL type of Info.plist, ignoring case",
        .original("GoogleSignIn GIDSignInCallbackSchemesTest.testUnsupportedSchemes")
    )
    func registeredScheme() throws {
        let infoDictionary: [String: Any] = [
            "CFBundleURLTypes": [
                ["CFBundleURLSchemes": ["com.example.app"]], ["CFBundleURLName": "Google"],
                ["CFBundleURLSchemes": ["other", "COM.googleusercontent.apps.123-ABC"]],
            ]
        ]
        let configuration = GIDConfiguration(clientID: GoogleApp.clientID)
        #expect(
            try configuration.registeredRedirectURI(infoDictionary: infoDictionary)
                == "com.googleusercontent.apps.123-abc:/oauth2callback"
        )
    }

    @Test(
        "Rejects a scheme that Info.plist does not list",
        .original("GoogleSignIn GIDSignInTest.testSchemesNotSupportedException"),
        arguments: [nil, [], ["com.example.app"], ["com.googleusercontent.apps.123"]] as [[String]?]
    )
    func missingScheme(schemes: [String]?) async {
        let infoDictionary: [String: Any] =
            schemes.map { ["CFBundleURLTypes": [["CFBundleURLSchemes": $0]]] } ?? [:]
        let configuration = GIDConfiguration(clientID: GoogleApp.clientID)
        do {
            _ = try configuration.registeredRedirectURI(infoDictionary: infoDictionary)
            Issue.record("The scheme is not listed.")
        } catch {
            #expect(error.code == .invalidConfiguration)
            #expect(error.description.contains("com.googleusercontent.apps.123-abc"))
        }
    }

    @Test(
        "Fails without a trap if no configuration is set",
        .original("GoogleSignIn GIDSignIn.m signInWithOptions:")
    )
    func noConfiguration() async {
        let google = GoogleApp().launched()
        let presenter = Presenter(ScriptedUserAgent { _ in [] })
        #expect(google.configuration == nil)
        #expect(await code { try await google.signIn(withPresenting: presenter) } == .invalidConfiguration)
        #expect(presenter.userAgent.authorizationURLs.isEmpty)
    }
}
