// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraMigration
internal import TesseraOAuth
internal import Testing

@Suite("A keyed archive of Apple's libraries")
struct KeyedArchiveTests {
    private static let scopes: [Scope] = [.openID, .email, "https://www.googleapis.com/auth/drive"]

    @Test("Of GTMAppAuth gives the grant, the client and who it was")
    func session() throws {
        let imported = try ImportedGrant(parsing: SampleArchive.bytes(SampleArchive.session()))
        #expect(imported.format == .keyedArchive)
        #expect(imported.grant.refreshToken == Secret("refresh-canary"))
        #expect(imported.grant.idToken == Secret("id-canary"))
        #expect(imported.grant.scopes == Self.scopes)
        #expect(imported.grant.tokenEndpoint == "https://www.googleapis.com/oauth2/v4/token")
        #expect(imported.clientID == "client.apps.googleusercontent.com")
        #expect(imported.clientSecret == Secret("secret-canary"))
        #expect(imported.redirectURI == "com.example.app:/oauth2redirect")
        #expect(imported.email == "zoë@example.com")
        #expect(imported.subject == "42")
        #expect(imported.isGoogles)
        #expect(try imported.googleProvider().client.clientID == "client.apps.googleusercontent.com")
    }

    @Test("Of AppAuth alone gives the grant, and the issuer where there is one")
    func authState() throws {
        let configuration = SampleArchive.configuration("https://id.example", token: "https://id.example/token")
        let state = SampleArchive.authState(configuration: configuration)
        let imported = try ImportedGrant(parsing: SampleArchive.bytes(state))
        #expect(imported.grant.scopes == Self.scopes)
        #expect(imported.email == nil)
        #expect(imported.issuer == "https://id.example")
        #expect(!imported.isGoogles)
        #expect(throws: MigrationError.self) { try imported.googleProvider() }
    }

    @Test("Of GoogleSignIn gives the grant and the email address, in the form of version 6 too")
    func user() throws {
        for user in [SampleArchive.user(), SampleArchive.olderUser()] {
            let imported = try ImportedGrant(parsing: SampleArchive.bytes(user))
            #expect(imported.grant.refreshToken == Secret("refresh-canary"))
            #expect(imported.email == "zoë@example.com")
            #expect(imported.isGoogles)
        }
    }

    @Test("That this package's own classes of those names wrote is read, too")
    func facade() throws {
        let configuration = OIDServiceConfiguration(
            authorizationEndpoint: try #require(URL(string: "https://id.example/authorize")),
            tokenEndpoint: try #require(URL(string: "https://id.example/token")),
            issuer: URL(string: "https://id.example")
        )
        let request = OIDTokenRequest(
            configuration: configuration,
            grantType: OIDGrantTypeAuthorizationCode,
            authorizationCode: "code",
            redirectURL: URL(string: "com.example:/back"),
            clientID: "client",
            clientSecret: nil,
            scope: nil,
            refreshToken: nil,
            codeVerifier: nil,
            additionalParameters: nil
        )
        let response = OIDTokenResponse(
            request: request,
            parameters: ["access_token": "at", "refresh_token": "rt", "token_type": "Bearer", "scope": "openid"]
        )
        let session = AuthSession(
            authState: OIDAuthState(authorizationResponse: nil, tokenResponse: response, registrationResponse: nil),
            serviceProvider: "Example",
            userID: "7",
            userEmail: "ada@example.com",
            userEmailIsVerified: "true"
        )
        let imported = try ImportedGrant(parsing: Array(try AppAuthArchive.archive(session)))
        #expect(
            imported.grant
                == ExistingGrant(
                    refreshToken: Secret("rt"),
                    scopes: [.openID],
                    tokenEndpoint: "https://id.example/token"
                )
        )
        #expect(imported.clientID == "client")
        #expect(imported.clientSecret == nil)
        #expect(imported.subject == "7")
        #expect(imported.issuer == "https://id.example")
    }

    @Test("Without a refresh token is said to have none")
    func noRefreshToken() throws {
        let bytes = try SampleArchive.bytes(SampleArchive.session(SampleArchive.authState(refreshToken: nil)))
        #expect { try ImportedGrant(parsing: bytes) } throws: { MigrationError.Code.noRefreshToken ~= $0 }
    }

    @Test("In which two clients are named is damaged: nobody knows whose the refresh token is")
    func twoClients() throws {
        let bytes = try SampleArchive.bytes(SampleArchive.authState(authorizedClientID: "another"))
        #expect { try ImportedGrant(parsing: bytes) } throws: { MigrationError.Code.damaged ~= $0 }
    }

    @Test("Of another class is named, and not read")
    func anotherClass() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(NSArray(array: [NSString(string: "x")]), forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        #expect { try ImportedGrant(parsing: Array(archiver.encodedData)) } throws: { error in
            MigrationError.Code.unknownFormat ~= error && "\(error)".contains("NSArray")
        }
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
        #expect { try ImportedGrant(parsing: Array(list)) } throws: { MigrationError.Code.unknownFormat ~= $0 }
    }

    @Test("Shows nothing of what it holds")
    func isHidden() throws {
        let bytes = try SampleArchive.bytes(SampleArchive.session())
        var dumped = ""
        dump(try BinaryPropertyList(parsing: bytes), to: &dumped)
        dump(try ImportedGrant(parsing: bytes), to: &dumped)
        #expect(!dumped.contains("canary"))
    }

    @Test("As XML is said to be that, and how it becomes binary")
    func xml() throws {
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .xml, options: 0)
        #expect { try ImportedGrant(parsing: Array(list)) } throws: { error in
            MigrationError.Code.unknownFormat ~= error && "\(error)".contains("plutil")
        }
    }
}
