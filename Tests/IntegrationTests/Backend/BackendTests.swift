// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && PostgreSQL
internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraOAuth
internal import TestPrograms
internal import Testing

@Suite(
    "The backend example over HTTP",
    .enabled(if: ExamplePrograms.areBuilt, "the examples are not built: make examples"),
    .disabled(if: PostgreSQLInstance.isMissing, "PostgreSQL is not installed")
)
struct BackendTests {
    private static let ada = LocalProviderAccount.samples[0].email
    private static let noor = LocalProviderAccount.samples[1].email

    private static func tokens(_ code: String, _ idToken: String) -> String {
        JSONNode.object([
            JSONMember(name: "serverAuthCode", value: .string(code)),
            JSONMember(name: "idToken", value: .string(idToken)),
        ])
        .text()
    }

    /// Runs `body` with two instances that share one PostgreSQL database.
    private static func pair(_ body: (BackendEnvironment, [String]) async throws -> Void) async throws {
        try await PostgreSQLInstance.with { server in
            let environment = try await BackendEnvironment(server: server)
            try await environment.withInstances(2) { instances in
                try await body(environment, instances.map(\.origin))
            }
        }
    }

    @Test("Both instances act for the user of an app's code, also after the access token expires")
    func app() async throws {
        try await Self.pair { environment, origins in
            let (code, idToken) = try await environment.signInAtApp(Self.ada)
            let visitor = BackendVisitor()
            let response = try await visitor.post(origins[0] + "/tokens", json: Self.tokens(code, idToken))
            #expect(response.status == 200, "\(response.text)")
            #expect(response.json?["email"]?.string == Self.ada)
            #expect(response.json?["offline"]?.bool == true)
            let session = try #require(response.json?["session"]?.string)
            for origin in origins {
                let files = try await BackendVisitor.files(at: origin, session)
                #expect(files.status == 200, "\(files.text)")
                #expect(files.json?["files"]?.elements?.isEmpty == false, "\(files.text)")
                environment.provider.expireAccessTokens()
            }
            let before = environment.provider.refreshRequestCount
            for origin in origins { #expect(try await BackendVisitor.files(at: origin, session).status == 200) }
            #expect(before == 1)
            #expect(environment.provider.refreshRequestCount == 2)
        }
    }

    @Test("Rejects a reused code, another user's code, and invalid tokens")
    func refusedTokens() async throws {
        try await Self.pair { environment, origins in
            let visitor = BackendVisitor()
            func post(_ code: String, _ idToken: String, at origin: String) async throws -> Int {
                try await visitor.post(origin + "/tokens", json: Self.tokens(code, idToken)).status
            }
            let (ada, noor) = (
                try await environment.signInAtApp(Self.ada), try await environment.signInAtApp(Self.noor)
            )
            #expect(try await post(ada.serverAuthCode, noor.idToken, at: origins[0]) == 403)
            #expect(try await environment.records().isEmpty)
            #expect(try await post(noor.serverAuthCode, noor.idToken, at: origins[0]) == 200)
            #expect(try await post(noor.serverAuthCode, noor.idToken, at: origins[1]) == 400)
            let damaged = noor.idToken.dropLast(8) + "AAAAAAAA"
            #expect(try await post("4/none", String(damaged), at: origins[0]) == 403)
            #expect(try await post("4/none", ada.idToken, at: origins[0]) == 400)
            #expect(try await visitor.post(origins[0] + "/tokens", json: "{}").status == 400)
            #expect(try await visitor.post(origins[0] + "/tokens", json: "no").status == 400)
            #expect(try await BackendVisitor.files(at: origins[0], String(repeating: "a", count: 43)).status == 401)
        }
    }

    @Test("A user signs in across two instances, sees their files, and signs out of both")
    func browser() async throws {
        try await Self.pair { environment, origins in
            let visitor = BackendVisitor()
            let begun = try await visitor.get(origins[0] + "/files")
            #expect(begun.status == 303)
            #expect(begun.location == "/sign-in?return_to=/files")
            let page = try await visitor.get(origins[0] + "/sign-in?return_to=%2Ffiles%3Fa%3Db")
            let cookie = try #require(page.headers[.setCookie])
            for attribute in ["__Host-attempt=", "Path=/", "Secure", "HttpOnly", "SameSite=Lax", "Max-Age=600"] {
                #expect(cookie.contains(attribute), "\(cookie)")
            }
            #expect(!cookie.contains("Domain"))
            let walk = ConsentWalk(transport: BackendEnvironment.transport, email: Self.ada)
            let callback = try await walk.redirect(from: try #require(page.location))
            let arrived = try await visitor.get(callback.replacing(origins[0], with: origins[1]))
            #expect(arrived.status == 303)
            #expect(arrived.location == "/files?a=b")
            let session = try #require(arrived.headers[.setCookie])
            for attribute in ["__Host-session=", "Path=/", "Secure", "HttpOnly", "SameSite=Lax"] {
                #expect(session.contains(attribute), "\(session)")
            }
            for origin in origins {
                let files = try await visitor.get(origin + "/files")
                #expect(files.status == 200)
                #expect(files.text.contains(Self.ada))
                #expect(files.text.contains("<li>"))
                #expect(files.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
            }
            let cookies = visitor.cookies
            #expect(
                try await visitor.post(origins[0] + "/sign-out", headers: [.origin: "https://evil.example"]).status
                    == 403
            )
            #expect(
                try await visitor.post(origins[1] + "/sign-out", headers: [.origin: environment.publicURL]).status
                    == 303
            )
            visitor.cookies = cookies
            for origin in origins { #expect(try await visitor.get(origin + "/files").status == 303) }
            // The backend keeps its access until the user revokes it.
            #expect(try await environment.records().first?.tokens?.refreshToken != nil)
        }
    }

    @Test("Signing out everywhere ends the user's sessions in other browsers, even after the next sign-in")
    func everywhere() async throws {
        try await Self.pair { environment, origins in
            let (visitor, other, stranger) = (BackendVisitor(), BackendVisitor(), BackendVisitor())
            for (browser, email) in [(visitor, Self.ada), (other, Self.ada), (stranger, Self.noor)] {
                _ = try await browser.get(browser.callback(from: origins[0], at: environment, as: email))
                #expect(try await browser.get(origins[1] + "/files").status == 200)
            }
            let headers: HTTPFields = [.origin: environment.publicURL]
            let end = try await visitor.post(origins[1] + "/sign-out?everywhere=yes", headers: headers)
            #expect(end.status == 303)
            for _ in 1...2 {
                _ = try await visitor.get(visitor.callback(from: origins[0], at: environment, as: Self.ada))
                for origin in origins {
                    #expect(try await visitor.get(origin + "/files").status == 200)
                    #expect(try await other.get(origin + "/files").status == 303)
                    #expect(try await stranger.get(origin + "/files").status == 200)
                }
            }
        }
    }

    @Test("Rejects a callback that is repeated or opened in another browser")
    func replay() async throws {
        try await Self.pair { environment, origins in
            let visitor = BackendVisitor()
            let callback = try await visitor.callback(from: origins[0], at: environment, as: Self.ada)
            let elsewhere = callback.replacing(origins[0], with: origins[1])
            let stranger = BackendVisitor()
            #expect(try await stranger.get(elsewhere).status == 403)
            _ = try await stranger.get(origins[1] + "/sign-in")
            #expect(try await stranger.get(elsewhere).status == 403)
            #expect(stranger.cookies["__Host-session"] == nil)
            #expect(try await visitor.get(callback).status == 303)
            for url in [elsewhere, callback] {
                let again = BackendVisitor()
                again.cookies = visitor.cookies.filter { $0.key == "__Host-attempt" }
                #expect(try await again.get(url).status == 403)
                #expect(again.cookies["__Host-session"] == nil)
            }
            #expect(environment.provider.tokenRequestCount == 1)
        }
    }

    @Test("A sign-in replaces a session cookie that an attacker planted")
    func fixation() async throws {
        try await Self.pair { environment, origins in
            let attacker = BackendVisitor()
            _ = try await attacker.get(attacker.callback(from: origins[0], at: environment, as: Self.noor))
            let planted = try #require(attacker.cookies["__Host-session"])
            let visitor = BackendVisitor()
            visitor.cookies["__Host-session"] = planted
            _ = try await visitor.get(visitor.callback(from: origins[0], at: environment, as: Self.ada))
            let own = try #require(visitor.cookies["__Host-session"])
            #expect(own != planted)
            #expect(try await visitor.get(origins[1] + "/files").text.contains(Self.ada))
            #expect(try await attacker.get(origins[1] + "/files").status == 303)
        }
    }

    @Test("Never redirects to another site after a sign-in")
    func openRedirect() async throws {
        let environment = try await BackendEnvironment(server: nil)
        try await environment.withInstances(1) { instances in
            let visitor = BackendVisitor()
            for target in [
                "https://evil.example", "//evil.example", "%2F%2Fevil.example", "/%5Cevil.example", "/%09/evil.example",
                "javascript:alert(1)", "/a%0d%0aSet-Cookie:%20a=b", "",
            ] {
                let response = try await visitor.get(instances[0].origin + "/sign-in?return_to=\(target)")
                #expect(response.status == 400, "\(target)")
                #expect(response.location == nil, "\(target)")
            }
            // Encoded twice, the value is a path of this site.
            let callback = try await visitor.callback(
                from: instances[0].origin,
                at: environment,
                query: "?return_to=/%252Fevil.example",
                as: Self.ada
            )
            #expect(try await visitor.get(callback).location == "/%2Fevil.example")
        }
    }

    @Test("Reports health and metrics without secrets when it runs on SQLite alone")
    func health() async throws {
        let environment = try await BackendEnvironment(server: nil)
        try await environment.withInstances(1) { instances in
            let (visitor, origin) = (BackendVisitor(), instances[0].origin)
            _ = try await visitor.get(visitor.callback(from: origin, at: environment, as: Self.ada))
            #expect(try await visitor.get(origin + "/files").status == 200)
            #expect(try await visitor.get(origin + "/health/live").status == 200)
            #expect(try await visitor.get(origin + "/health/ready").status == 200)
            let metrics = try await visitor.get(origin + "/metrics").text
            #expect(metrics.contains("oauth_token"), "\(metrics)")
            #expect(metrics.contains("hb_requests"), "\(metrics)")
            for secret in visitor.cookies.values + [Self.ada, "4/", "ya29"] { #expect(!metrics.contains(secret)) }
            let log = await instances[0].terminate()
            #expect(log.status == 0)
            let text = log.log.joined()
            for secret in visitor.cookies.values + [Self.ada, "ya29", "code="] { #expect(!text.contains(secret)) }
        }
    }

    @Test(
        "Reports a missing key or an unreadable client file and exits with status 1",
        arguments: [
            (["DATABASE_URL": "postgresql://ada:secret@127.0.0.1/db"], "STORE_KEY"),
            (["DATABASE_PATH": "/x/y"], "/nonexistent"),
            (["STORE_KEY": "short"], "STORE_KEY"),
        ]
    )
    func settings(additions: [String: String], text expected: String) async throws {
        let environment = ["PATH": "/usr/bin:/bin", "CLIENT_FILE": "/nonexistent", "HOME": "/nonexistent"]
        let program = try ChildProgram(
            [ExamplePrograms.path("backend")],
            environment: environment.merging(additions) { $1 },
            readsErrors: true
        )
        let text = await program.errors.lines().joined(separator: "\n")
        #expect(await program.exitStatus == 1)
        #expect(text.contains(expected), "\(text)")
        #expect(!text.contains("secret@"), "\(text)")
    }
}
#endif
