// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider && CommandLine
internal import Foundation
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider
internal import TestPrograms

@Suite("tessera scopes")
struct ScopesTests {
    @Test("A scope that is added stands beside those that were granted")
    func added() async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", "email")
            let output = try await scene.run("scopes", "add", Scene.driveScope, "--browser", Scene.walk())
            #expect(output.status == 0)
            #expect(output.line.split(separator: "\n").contains(Substring(Scene.driveScope)))
            let object = try await scene.run("scopes", "--json").json()
            let granted = object["granted"]?.elements?.compactMap(\.string) ?? []
            #expect(granted.contains("openid") && granted.contains(Scene.driveScope))
            #expect(try await scene.run("fetch", "\(scene.drive)/files").status == 0)
        }
    }

    @Test(
        "A scope that was unticked or denied is a refusal, and the session stays as it was",
        arguments: [
            "--untick \(Scene.driveScope)", "--deny",
        ]
    )
    func refused(_ person: String) async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", "email")
            let output = try await scene.run("scopes", "add", Scene.driveScope, "--browser", Scene.walk(person))
            #expect(output.status == 3)
            #expect(try await scene.run("token").status == 0)
            let object = try await scene.run("scopes", "--json").json()
            #expect(object["granted"]?.elements?.compactMap(\.string).contains(Scene.driveScope) == false)
        }
    }

    @Test("Another account's answer is refused and changes nothing")
    func otherAccount() async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", "email")
            // The person changes the address by hand: no hint, the account chooser, and somebody else is chosen.
            let child = try scene.start(["scopes", "add", Scene.driveScope, "--no-browser"])
            let line = await child.errors.line { $0.contains("/o/oauth2/v2/auth?") }
            let address = try #require(line?.trimmingCharacters(in: .whitespaces))
            let walk = ConsentWalk(transport: scene.transport, email: "noor@tessera.example")
            let redirect = try await walk.redirect(from: address + "&prompt=select_account")
            child.send(redirect + "\n")
            #expect(await child.finish().status == 3)
            let accounts = try await scene.run("accounts", "--json").json()["accounts"]?.elements
            #expect(accounts?.compactMap { $0["email"]?.string } == ["ada@example.com"])
        }
    }

    @Test("Where everything is granted already no browser opens")
    func alreadyGranted() async throws {
        try await Scene.play { scene in
            try await scene.login()
            let output = try await scene.run("scopes", "add", "openid", "--browser", "/does/not/exist")
            #expect(output.status == 0)
            #expect(output.errors.contains("granted already"))
        }
    }
}
#endif
