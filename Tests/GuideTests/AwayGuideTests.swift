// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import GoogleDriveV3
internal import HTTPTypes
internal import Tessera
internal import TesseraGoogleAPI
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// The code in the guide for calling APIs from a server.
@Suite("Guide for calling APIs while the user is away")
struct AwayGuideTests {
    private let network: ScriptedProvider
    private let store = InMemoryStore()

    init() throws {
        var options = ScriptedProvider.Options()
        options.additionalTokenMembers = ["server_code": "4/code"]
        self.network = try ScriptedProvider(options: options)
    }

    /// Creates the sign-in of a new server process.
    private func signIn() throws -> SignIn {
        SignIn(
            try self.network.provider,
            runtime: self.network.runtime,
            store: self.store,
            userAgent: self.network.userAgent()
        )
    }

    private func idToken(azp: String) throws -> String {
        let now = Int64(self.network.clock.date.timeIntervalSince1970)
        return try self.network.sign([
            JSONMember(name: "iss", value: .string(ScriptedProvider.issuer)), JSONMember(name: "sub", value: "ada"),
            JSONMember(name: "aud", value: .string(ScriptedProvider.clientID)),
            JSONMember(name: "azp", value: .string(azp)),
            JSONMember(name: "iat", value: .integer(now)), JSONMember(name: "exp", value: .integer(now + 3_600)),
        ])
    }

    @Test("Redeems an app's code for a session that another process uses")
    func app() async throws {
        let own = try self.idToken(azp: ScriptedProvider.clientID)
        self.network.intercept("/token") { request in
            guard request.formValue("code") == "4/code" else { return nil }
            let scope = "openid \(DriveV3.Scope.driveReadonly)"
            return .json(
                #"{"access_token":"t","token_type":"Bearer","expires_in":3600,"refresh_token":"r","scope":"\#(scope)","id_token":"\#(own)"}"#
            )
        }
        self.network.intercept("/drive/v3/files") { _ in .json(#"{"files":[{"name":"Plan"}]}"#) }
        let settings = APISettings(rootURL: ScriptedProvider.api)
        let server = FileServer(signIn: try self.signIn(), apps: ["app"], settings: settings)
        let account = try await server.take(serverAuthCode: "4/code", idToken: self.idToken(azp: "app"))
        #expect(server.account(subject: "ada") == account)
        let other = FileServer(signIn: try self.signIn(), apps: ["app"], settings: settings)
        #expect(try await other.fileNames(of: account) == ["Plan"])
        await #expect(throws: ProtocolViolationError.self) {
            try await server.take(serverAuthCode: "4/code", idToken: self.idToken(azp: "another app"))
        }
    }

    @Test("An app receives a code for its server in addition to its session")
    func appSide() async throws {
        let response = try await FileApp(signIn: self.signIn(), server: "server").begin()
        #expect(response.serverAuthCode == Secret("4/code"))
        #expect(response.idToken != nil)
        #expect(response.session.account.clientID == ScriptedProvider.clientID)
    }

    @Test("A browser sign-in begins in one process and finishes in another")
    func site() async throws {
        let sites = try (0..<2)
            .map { _ in
                let redirectURI = try RedirectURI("https://site.example/callback")
                return FileSite(web: WebSignIn(try self.signIn(), redirectURI: redirectURI, attempts: self.store))
            }
        let browser = sites[0].web.newBrowser()
        let redirect = try self.network.consent(to: try await sites[0].signIn(browser, returnTo: "/files"))
        let (account, path) = try await sites[1].callback(browser, url: redirect)
        #expect(account.subject == "ada")
        #expect(path.path == "/files")
        #expect(try await sites[0].signIn(browser, returnTo: "//evil.example").hasPrefix(ScriptedProvider.issuer))
    }
}
