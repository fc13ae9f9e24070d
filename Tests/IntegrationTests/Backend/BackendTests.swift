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
    "The backend of Examples/ over HTTP",
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

    /// Two instances over one PostgreSQL.
    private static func pair(_ body: (BackendPlace, [String]) async throws -> Void) async throws {
        try await PostgreSQLInstance.with { server in
            let place = try await BackendPlace(server: server)
            try await place.play(2) { instances in try await body(place, instances.map(\.origin)) }
        }
    }

    @Test("An app's code and ID token: the backend acts for the person at either instance, also after the token's end")
    func app() async throws {
        try await Self.pair { place, origins in
            let (code, idToken) = try await place.signInAtApp(Self.ada)
            let visitor = BackendVisitor()
            let answer = try await visitor.post(origins[0] + "/tokens", json: Self.tokens(code, idToken))
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.json?["email"]?.string == Self.ada)
            #expect(answer.json?["offline"]?.bool == true)
            let session = try #require(answer.json?["session"]?.string)
            for origin in origins {
                let files = try await BackendVisitor.files(at: origin, session)
                #expect(files.status == 200, "\(files.text)")
                #expect(files.json?["files"]?.elements?.isEmpty == false, "\(files.text)")
                place.provider.expireAccessTokens()
            }
            let before = place.provider.refreshRequestCount
            for origin in origins { #expect(try await BackendVisitor.files(at: origin, session).status == 200) }
            #expect(before == 1)
            #expect(place.provider.refreshRequestCount == 2)
        }
    }

    @Test("A code that is used twice, another person's code, and tokens that are none are refused")
    func refusedTokens() async throws {
        try await Self.pair { place, origins in
            let visitor = BackendVisitor()
            func post(_ code: String, _ idToken: String, at origin: String) async throws -> Int {
                try await visitor.post(origin + "/tokens", json: Self.tokens(code, idToken)).status
            }
            let (ada, noor) = (try await place.signInAtApp(Self.ada), try await place.signInAtApp(Self.noor))
            #expect(try await post(ada.serverAuthCode, noor.idToken, at: origins[0]) == 403)
            #expect(try await place.records().isEmpty)
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

    @Test("A person signs in at one instance, comes back to the other, sees their files, and signs out at both")
    func browser() async throws {
        try await Self.pair { place, origins in
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
            let walk = ConsentWalk(transport: BackendPlace.transport, email: Self.ada)
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
            let held = visitor.cookies
            #expect(
                try await visitor.post(origins[0] + "/sign-out", headers: [.origin: "https://evil.example"]).status
                    == 403
            )
            #expect(try await visitor.post(origins[1] + "/sign-out", headers: [.origin: place.publicURL]).status == 303)
            visitor.cookies = held
            for origin in origins { #expect(try await visitor.get(origin + "/files").status == 303) }
            // The backend goes on for them, until they take the access back.
            #expect(try await place.records().first?.tokens?.refreshToken != nil)
        }
    }

    @Test("A callback that is repeated at the other instance, or comes in another browser, is refused")
    func replay() async throws {
        try await Self.pair { place, origins in
            let visitor = BackendVisitor()
            let callback = try await visitor.callback(from: origins[0], at: place, as: Self.ada)
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
            #expect(place.provider.tokenRequestCount == 1)
        }
    }

    @Test("A session that somebody planted in the browser is not the person's after they signed in")
    func fixation() async throws {
        try await Self.pair { place, origins in
            let attacker = BackendVisitor()
            _ = try await attacker.get(attacker.callback(from: origins[0], at: place, as: Self.noor))
            let planted = try #require(attacker.cookies["__Host-session"])
            let visitor = BackendVisitor()
            visitor.cookies["__Host-session"] = planted
            _ = try await visitor.get(visitor.callback(from: origins[0], at: place, as: Self.ada))
            let own = try #require(visitor.cookies["__Host-session"])
            #expect(own != planted)
            #expect(try await visitor.get(origins[1] + "/files").text.contains(Self.ada))
            #expect(try await attacker.get(origins[1] + "/files").status == 303)
        }
    }

    @Test("After a sign-in nobody is sent to another site")
    func openRedirect() async throws {
        let place = try await BackendPlace(server: nil)
        try await place.play(1) { instances in
            let visitor = BackendVisitor()
            for target in [
                "https://evil.example", "//evil.example", "%2F%2Fevil.example", "/%5Cevil.example", "/%09/evil.example",
                "javascript:alert(1)", "/a%0d%0aSet-Cookie:%20a=b", "",
            ] {
                let answer = try await visitor.get(instances[0].origin + "/sign-in?return_to=\(target)")
                #expect(answer.status == 400, "\(target)")
                #expect(answer.location == nil, "\(target)")
            }
            // Encoded twice it is a path of this site, whatever it looks like.
            let callback = try await visitor.callback(
                from: instances[0].origin,
                at: place,
                query: "?return_to=/%252Fevil.example",
                as: Self.ada
            )
            #expect(try await visitor.get(callback).location == "/%2Fevil.example")
        }
    }

    @Test("It says how it is: live, ready, its metrics, and no secret among them; SQLite needs nothing more")
    func health() async throws {
        let place = try await BackendPlace(server: nil)
        try await place.play(1) { instances in
            let (visitor, origin) = (BackendVisitor(), instances[0].origin)
            _ = try await visitor.get(visitor.callback(from: origin, at: place, as: Self.ada))
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
        "PostgreSQL without a key, or a client file that is none, is said in a sentence",
        arguments: [
            (["DATABASE_URL": "postgresql://ada:secret@127.0.0.1/db"], "STORE_KEY"),
            (["DATABASE_PATH": "/x/y"], "/nonexistent"),
            (["STORE_KEY": "short"], "STORE_KEY"),
        ]
    )
    func settings(more: [String: String], words: String) async throws {
        let environment = ["PATH": "/usr/bin:/bin", "CLIENT_FILE": "/nonexistent", "HOME": "/nonexistent"]
        let program = try ChildProgram(
            [ExamplePrograms.path("backend")],
            environment: environment.merging(more) { $1 },
            readsErrors: true
        )
        let text = await program.errors.lines().joined(separator: "\n")
        #expect(await program.exitStatus == 1)
        #expect(text.contains(words), "\(text)")
        #expect(!text.contains("secret@"), "\(text)")
    }
}
#endif
