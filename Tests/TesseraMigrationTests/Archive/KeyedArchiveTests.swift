// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGTMAppAuth
internal import TesseraMigration
internal import TesseraOAuth
internal import Testing

@Suite("Keyed archives of AppAuth, GTMAppAuth and GoogleSignIn")
struct KeyedArchiveTests {
    private static let scopes: [Scope] = [.openID, .email, "https://www.googleapis.com/auth/drive"]

    @Test("Imports the credentials, client and user of a GTMAppAuth archive")
    func session() throws {
        let imported = try ImportedCredentials(parsing: SampleArchive.bytes(SampleArchive.session()))
        #expect(imported.format == .keyedArchive)
        #expect(imported.credentials.refreshToken == Secret("refresh-canary"))
        #expect(imported.credentials.idToken == Secret("id-canary"))
        #expect(imported.credentials.scopes == Self.scopes)
        #expect(imported.credentials.tokenEndpoint == "https://www.googleapis.com/oauth2/v4/token")
        #expect(imported.clientID == "client.apps.googleusercontent.com")
        #expect(imported.clientSecret == Secret("secret-canary"))
        #expect(imported.redirectURI == "com.example.app:/oauth2redirect")
        #expect(imported.email == "zoë@example.com")
        #expect(imported.subject == "42")
        #expect(imported.isIssuedByGoogle)
        #expect(try imported.googleProvider().client.clientID == "client.apps.googleusercontent.com")
    }

    @Test("Imports the credentials and issuer of an AppAuth archive")
    func authState() throws {
        let configuration = SampleArchive.configuration("https://id.example", token: "https://id.example/token")
        let state = SampleArchive.authState(configuration: configuration)
        let imported = try ImportedCredentials(parsing: SampleArchive.bytes(state))
        #expect(imported.credentials.scopes == Self.scopes)
        #expect(imported.email == nil)
        #expect(imported.issuer == "https://id.example")
        #expect(!imported.isIssuedByGoogle)
        #expect(throws: MigrationError.self) { try imported.googleProvider() }
    }

    @Test("Imports the credentials and email address of a GoogleSignIn 6 or 7 archive")
    func user() throws {
        for user in [SampleArchive.user(), SampleArchive.olderUser()] {
            let imported = try ImportedCredentials(parsing: SampleArchive.bytes(user))
            #expect(imported.credentials.refreshToken == Secret("refresh-canary"))
            #expect(imported.email == "zoë@example.com")
            #expect(imported.isIssuedByGoogle)
        }
    }

    @Test("Imports an archive that this package's compatibility classes wrote")
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
        let imported = try ImportedCredentials(parsing: Array(try AppAuthArchive.archive(session)))
        #expect(
            imported.credentials
                == ExistingCredentials(
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

    @Test("Throws for an archive without a refresh token")
    func noRefreshToken() throws {
        let bytes = try SampleArchive.bytes(SampleArchive.session(SampleArchive.authState(refreshToken: nil)))
        #expect { try ImportedCredentials(parsing: bytes) } throws: { MigrationError.Code.noRefreshToken ~= $0 }
    }

    @Test("Rejects an archive that names two clients")
    func twoClients() throws {
        let bytes = try SampleArchive.bytes(SampleArchive.authState(authorizedClientID: "another"))
        #expect { try ImportedCredentials(parsing: bytes) } throws: { MigrationError.Code.damaged ~= $0 }
    }

    @Test("Rejects an archive of another class and names the class")
    func anotherClass() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(NSArray(array: [NSString(string: "x")]), forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        #expect { try ImportedCredentials(parsing: Array(archiver.encodedData)) } throws: { error in
            MigrationError.Code.unknownFormat ~= error && "\(error)".contains("NSArray")
        }
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
        #expect { try ImportedCredentials(parsing: Array(list)) } throws: { MigrationError.Code.unknownFormat ~= $0 }
    }

    @Test("No description of an archive contains a secret")
    func isHidden() throws {
        let bytes = try SampleArchive.bytes(SampleArchive.session())
        var dumped = ""
        dump(try BinaryPropertyList(parsing: bytes), to: &dumped)
        dump(try ImportedCredentials(parsing: bytes), to: &dumped)
        #expect(!dumped.contains("canary"))
    }

    @Test("The error for an XML property list suggests plutil")
    func xml() throws {
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .xml, options: 0)
        #expect { try ImportedCredentials(parsing: Array(list)) } throws: { error in
            MigrationError.Code.unknownFormat ~= error && "\(error)".contains("plutil")
        }
    }
}
