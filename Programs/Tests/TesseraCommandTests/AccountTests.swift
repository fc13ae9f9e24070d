// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TestTraits
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TesseraOAuth

@Suite("Accounts of the command line")
struct AccountTests {
    @Test("Requires a label, an email address or a subject with two accounts")
    func naming() async throws {
        try await Scene.play { scene in
            try await scene.login("--account", "work")
            try await scene.login(walkOptions: "--account noor@tessera.example")
            let ambiguous = try await scene.run("token")
            #expect(ambiguous.status == 2)
            #expect(ambiguous.errors.contains("work"))
            #expect(ambiguous.errors.contains("noor@tessera.example"))
            let names = ["work", "ada@example.com", "108204268033311374519"]
            var tokens: Set<String> = []
            for name in names {
                let output = try await scene.run("token", "--account", name)
                #expect(output.status == 0)
                tokens.insert(output.line)
            }
            #expect(tokens.count == 1)
            #expect(try await scene.run("token", "--account", "NOOR@tessera.example").status == 0)
            let unknown = try await scene.run("token", "--account", "grace")
            #expect(unknown.status == 6)
            #expect(unknown.errors.contains("“grace”"))
        }
    }

    @Test("Uses the selected account until another one is selected or all are signed out")
    func selecting() async throws {
        try await Scene.play { scene in
            try await scene.login("--account", "work")
            try await scene.login(walkOptions: "--account noor@tessera.example")
            #expect(try await scene.run("accounts", "select", "grace").status == 6)
            for name in ["work", "noor@tessera.example"] {
                #expect(try await scene.run("accounts", "select", name).status == 0)
                let chosen = try await scene.run("token", "--account", name).line
                #expect(try await scene.run("token").line == chosen)
                let listed = try await scene.run("accounts").text
                #expect(listed.split(separator: "\n").count { $0.hasPrefix("* ") } == 1)
            }
            let all = try await scene.run("logout", "--all", "--json")
            #expect(all.status == 0)
            #expect(try all.json()["accounts"]?.elements?.count == 2)
            #expect(try await scene.run("token").status == 6)
        }
    }

    @Test("Uses no other account after the session of the selected one has ended")
    func endedSelection() async throws {
        try await Scene.play { scene in
            try await scene.login("--account", "work")
            try await scene.login(walkOptions: "--account noor@tessera.example")
            #expect(try await scene.run("accounts", "select", "work").status == 0)
            scene.provider.revokeAll()
            #expect(try await scene.run("token", "--refresh").status == 6)
            let later = try await scene.run("token", "--json")
            #expect(later.status == 6)
            #expect(try later.json()["error"]?["endsSession"]?.bool == true)
        }
    }

    @Test("Distinguishes sessions of one user by the client after @")
    func twoClients() async throws {
        var options = LocalProviderOptions()
        let second = LocalProviderClient(id: "second.apps.local", secret: "s2", name: "Second", kind: .installed)
        options.clients.append(second)
        try await Scene.play(options) { scene in
            try await scene.login()
            let secret = scene.home + "/secret"
            try Data(second.secret.utf8).write(to: URL(filePath: secret))
            let login = try await scene.run(
                "login",
                "--issuer",
                scene.provider.issuer,
                "--client-id",
                second.id,
                "--client-secret-file",
                secret,
                "--allow-loopback-http",
                "--browser",
                Scene.walk()
            )
            #expect(login.status == 0)
            let ambiguous = try await scene.run("token", "--account", "ada@example.com")
            #expect(ambiguous.status == 2)
            let issuer = scene.provider.issuer
            let subject = "108204268033311374519"
            var tokens: [Set<String>] = []
            for client in [scene.provider.clientID, second.id] {
                #expect(ambiguous.errors.contains("\(subject)@\(client)@\(issuer)"))
                #expect(try await scene.run("accounts").text.contains("\(subject)@\(client)@\(issuer)"))
                var found: Set<String> = []
                for name in ["Ada@example.com@\(client)", "\(subject)@\(client)", "\(subject)@\(client)@\(issuer)"] {
                    let output = try await scene.run("token", "--account", name)
                    #expect(output.status == 0, "\(name): \(output.errors)")
                    found.insert(output.line)
                }
                #expect(found.count == 1)
                tokens.append(found)
            }
            #expect(tokens[0] != tokens[1])
            #expect(try await scene.run("token", "--account", "\(subject)@\(issuer)").status == 2)
        }
    }

    @Test("Prints account names that are unique and that --account accepts")
    func accountNames() async throws {
        var options = LocalProviderOptions()
        let second = LocalProviderClient(id: "second.apps.local", secret: "s2", name: "Second", kind: .installed)
        options.clients.append(second)
        try await Scene.play(options) { scene in
            // The session has no email address, and --account does not accept the user's display name.
            try await scene.login("--scope", "profile")
            try await scene.login(walkOptions: "--account noor@tessera.example")
            let login = try await scene.run(
                "login",
                "--issuer",
                scene.provider.issuer,
                "--client-id",
                second.id,
                "--client-secret-file",
                try scene.write(Array(second.secret.utf8), to: "secret"),
                "--allow-loopback-http",
                "--browser",
                Scene.walk()
            )
            #expect(login.status == 0, "\(login.errors)")
            let accounts = try await scene.run("accounts", "--json").json()["accounts"]?.elements
            let names = accounts?.compactMap { $0["account"]?.string } ?? []
            #expect(names.count == 3)
            var tokens: Set<String> = []
            for name in names {
                let output = try await scene.run("token", "--account", name)
                #expect(output.status == 0, "\(name): \(output.errors)")
                tokens.insert(output.line)
            }
            #expect(tokens.count == 3)
            #expect(names.contains("noor@tessera.example"))
        }
    }

    @Test(
        "logout --revoke removes the session if the provider does not support revocation",
        .covers(122)
    )
    func noRevocation() async throws {
        try await SmallProvider.play { scene, provider in
            let login = [
                "login", "--issuer", provider.issuer, "--client-id", "program", "--allow-loopback-http", "--device",
            ]
            #expect(try await scene.run(login).status == 0)
            let output = try await scene.run("logout", "--revoke", "--json")
            #expect(output.status == 3)
            #expect(try output.json()["error"]?["code"]?.string == "notRevoked")
            #expect(output.errors.contains("Signed out here"), "\(output.errors)")
            #expect(try await scene.run("accounts", "--json").json()["accounts"]?.elements?.isEmpty == true)
        }
    }

    @Test(
        "logout --revoke removes the session if the provider cannot be reached",
        .covers(122)
    )
    func unreachableRevocation() async throws {
        try await Scene.play { scene in
            try await scene.login()
            await scene.provider.stop()
            let output = try await scene.run("logout", "--revoke", "--json")
            #expect(output.status == 5)
            #expect(try output.json()["error"]?["code"]?.string == "notRevoked")
            #expect(try await scene.run("accounts", "--json").json()["accounts"]?.elements?.isEmpty == true)
        }
    }

    @Test("accounts prints one row per account, or a JSON object")
    func list() async throws {
        try await Scene.play { scene in
            try await scene.login("--account", "work")
            try await scene.login(walkOptions: "--account noor@tessera.example")
            let rows = try await scene.run("accounts").line.split(separator: "\n")
            #expect(rows.count == 3)
            let columns = rows.map { row in row.range(of: "127.0.0.1")?.lowerBound.utf16Offset(in: row) }
            #expect(columns[1] != nil, "the columns align")
            #expect(columns[1] == columns[2], "the columns align")
            let accounts = try await scene.run("accounts", "--json").json()["accounts"]?.elements
            #expect(
                Set(accounts?.compactMap { $0["email"]?.string } ?? []) == ["ada@example.com", "noor@tessera.example"]
            )
        }
    }

    @Test("status prints the scopes, the token, the consent and the store")
    func status() async throws {
        try await Scene.play { scene in
            try await scene.login("--account", "work")
            let text = try await scene.run("status").text
            for words in ["signed in", "openid", "expires in 60 min", "Consented", "file:\(scene.store)"] {
                #expect(text.contains(words), "\(words)")
            }
        }
    }

    @Test("userinfo prints the user's claims")
    func userInfo() async throws {
        try await Scene.play { scene in
            try await scene.login()
            #expect(try await scene.run("userinfo").text.contains("Ada Marlow"))
            #expect(try await scene.run("userinfo", "--json").json()["sub"]?.string == "108204268033311374519")
        }
    }

    @Test(
        "logout removes the local session, and --revoke also revokes it at the provider",
        .covers(122),
        arguments: [false, true]
    )
    func logout(revokes: Bool) async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", Scene.driveScope)
            let token = try await scene.run("token").line
            let output = try await scene.run(["logout", "--json"] + (revokes ? ["--revoke"] : []))
            #expect(output.status == 0)
            #expect(try output.json()["revoked"]?.bool == revokes)
            #expect(try await scene.run("token").status == 6)
            #expect(try await Self.driveStatus(scene, token) == (revokes ? 401 : 200))
        }
    }

    @Test("logout --revoke reports that nothing was revoked if the session had already ended", .covers(122))
    func logoutAfterEnd() async throws {
        for arguments in [["logout"], ["logout", "--all"]] {
            try await Scene.play { scene in
                try await scene.login()
                scene.provider.revokeAll()
                #expect(try await scene.run("token", "--refresh").status == 6)
                let output = try await scene.run(arguments + ["--revoke", "--json"])
                #expect(output.status == 0)
                #expect(try output.json()["removed"]?.bool == true)
                #expect(try output.json()["revoked"]?.bool == false)
            }
        }
    }

    @Test("logout --all continues after a failure and exits with its code")
    func logoutAll() async throws {
        var options = LocalProviderOptions()
        // Accounts are sorted by subject.
        options.accounts.append(
            LocalProviderAccount(subject: "2", email: "grace@example.com", givenName: "Grace", familyName: "Stone")
        )
        try await Scene.play(options) { scene in
            try await scene.login()
            let first = try Self.sessionFile(scene)
            let others = ["noor@tessera.example", "grace@example.com"]
            var tokens: [String] = []
            for email in others {
                try await scene.login(
                    "--scope",
                    "email",
                    "--scope",
                    Scene.driveScope,
                    walkOptions: "--account \(email)"
                )
                let token = try await scene.run("token", "--account", email).line
                #expect(try await Self.driveStatus(scene, token) == 200)
                tokens.append(token)
            }
            _ = try Self.damage(first)
            let output = try await scene.run("logout", "--all", "--revoke", "--json")
            #expect(output.status == 7)
            #expect(output.errorLines.count == 1)
            #expect(output.errors.hasPrefix("tessera: 108204268033311374519: The stored session is damaged"))
            let report = try output.json()
            #expect(report["accounts"]?.elements?.compactMap { $0.string } == others)
            #expect(report["failed"]?.elements?.compactMap { $0["account"]?.string } == ["108204268033311374519"])
            #expect(report["failed"]?.elements?.first?["error"]?["code"]?.string == "corrupt")
            #expect(report["error"]?["exitCode"]?.numberText == "7")
            #expect(report["removed"]?.bool == false)
            #expect(report["revoked"]?.bool == false)
            let left = try await scene.run("accounts", "--json").json()["accounts"]?.elements
            #expect(left?.compactMap { $0["state"]?.string } == ["unreadable"])
            for token in tokens { #expect(try await Self.driveStatus(scene, token) == 401) }
        }
    }

    @Test("Reports a damaged session, which logout can remove", .covers(119))
    func damagedRecord() async throws {
        try await Scene.play { scene in
            try await scene.login()
            let file = try Self.sessionFile(scene)
            let bytes = try Self.damage(file)
            let list = try await scene.run("accounts", "--json")
            #expect(list.status == 7)
            #expect(try list.json()["accounts"]?.elements?.first?["state"]?.string == "unreadable")
            #expect(try await scene.run("token").status == 7)
            #expect(try Data(contentsOf: file) == bytes)
            #expect(try await scene.run("logout").status == 0)
            #expect(try await scene.run("accounts", "--json").json()["accounts"]?.elements?.isEmpty == true)
        }
    }

    @Test("Reports a store error for an account whose record cannot be read", .covers(141))
    func damagedNamedRecord() async throws {
        try await Scene.play { scene in
            try await scene.login("--account", "work")
            _ = try Self.damage(try Self.sessionFile(scene))
            try await scene.login(walkOptions: "--account noor@tessera.example")
            for name in ["work", "ada@example.com"] {
                for command in [["token"], ["status"], ["scopes"], ["logout"], ["fetch", "\(scene.drive)/files"]] {
                    let output = try await scene.run(command + ["--account", name])
                    #expect(output.status == 7, "\(command): \(output.errors)")
                    #expect(output.errors.contains("damaged"))
                    #expect(!output.errors.contains("tessera login"))
                }
            }
            #expect(try await scene.run("accounts", "select", "work").status == 7)
            #expect(try await scene.run("token", "--account", "noor@tessera.example").status == 0)
            #expect(try await scene.run("logout", "--account", "108204268033311374519").status == 0)
            #expect(try await scene.run("token", "--account", "work").status == 6)
        }
    }

    /// Returns the file of the only session.
    private static func sessionFile(_ scene: Scene) throws -> URL {
        let names = try FileManager.default.contentsOfDirectory(atPath: scene.store)
        let name = try #require(names.first { $0.hasSuffix(".session") })
        return URL(filePath: scene.store + "/" + name)
    }

    /// Flips a bit in a session file and returns the new contents.
    private static func damage(_ file: URL) throws -> Data {
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count - 1] ^= 1
        try bytes.write(to: file)
        return bytes
    }

    /// Returns the status code of a Drive request with the token.
    private static func driveStatus(_ scene: Scene, _ token: String) async throws -> Int {
        var request = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "127.0.0.1:\(scene.provider.port)",
            path: "/drive/v3/files"
        )
        request.headerFields[.authorization] = "Bearer \(token)"
        let (response, _) = try await scene.transport.send(request, body: nil)
        return response.status.code
    }
}
