// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

@Suite("Help of the command line")
struct HelpTests {
    @Test(
        "Every command says what it does, and gives examples",
        arguments: [
            ([], "Signs you in with Google or any OpenID Connect provider"),
            (["login"], "Signs you in with your own browser and keeps the session."),
            (["accounts"], "Lists the accounts that are kept; chooses the one that is meant."),
            (["accounts", "select"], "Chooses the account that is meant where none is named."),
            (["status"], "Says how a session stands: scopes, token, consent, store."),
            (["doctor"], "Says what is wrong, and what mends it."),
            (["scopes"], "Lists the granted scopes, or asks for more."),
            (["scopes", "add"], "Asks you for more scopes, in your browser."),
            (["token"], "Prints a token that is valid now, and nothing else."),
            (["import"], "Takes over a sign-in that another tool has kept."),
            (["export"], "Writes a session as a file for programs in Python, Go and Node.js."),
            (["fetch"], "Calls an API with your token, as curl would."),
            (["api"], "Calls any method of any of Google's APIs by its name."),
            (["drive"], "Lists, gets, puts and removes files of Google Drive."),
            (["drive", "put"], "Sends a file, and prints its identifier."),
            (["gmail"], "Lists, reads and sends mail by Gmail."),
            (["storage"], "Lists, gets and puts objects of Google Cloud Storage."),
            (["userinfo"], "Asks the provider who is signed in."),
            (["logout"], "Forgets a session here; with --revoke it ends at the provider, too."),
            (["agent"], "Gives your programs access tokens, and keeps the sessions to itself."),
            (["agent", "start"], "Runs the agent until it is interrupted, or in the background."),
            (["agent", "status"], "Says whether an agent runs, and whose tokens it gives."),
            (["agent", "stop"], "Stops the agent; it saves what it began first."),
            (["register"], "Registers a client at a provider that lets programs do so."),
            (["register-scheme"], "Registers a program for a private scheme on a Linux desktop."),
            (["discover"], "Shows what a provider can do, and what Tessera uses of it."),
            (["inspect"], "Takes a JWT apart, and says whether its signature is right."),
            (["provider"], "Runs a Google-like provider with a small Drive on this computer."),
            (["demo"], "Shows a whole sign-in, with a provider on this computer."),
        ]
    )
    func overview(_ command: [String], _ abstract: String) async throws {
        try await Scene.play { scene in
            let output = try await scene.run(command + ["--help"])
            #expect(output.status == 0)
            #expect(output.text.hasPrefix("OVERVIEW: \(abstract)"))
            #expect(output.text.contains("Examples:"))
            #expect(output.errors.isEmpty)
        }
    }

    @Test("Completions exist for the usual shells", arguments: ["bash", "zsh", "fish"])
    func completions(_ shell: String) async throws {
        try await Scene.play { scene in
            let output = try await scene.run("--generate-completion-script", shell)
            #expect(output.status == 0)
            #expect(output.text.contains("userinfo"))
        }
    }

    @Test("The version is printed")
    func version() async throws {
        try await Scene.play { scene in
            let output = try await scene.run("--version")
            #expect(output.status == 0)
            #expect(output.line.split(separator: ".").count == 3)
        }
    }

    @Test("The demo plays to its end without a browser, and leaves nothing behind")
    func demo() async throws {
        try await Scene.play { scene in
            let output = try await scene.run("demo", "--headless", environment: ["TMPDIR": scene.home])
            #expect(output.status == 0, "\(output.text)")
            for words in [
                "walks the provider's pages itself", "HTTP 403", "Welcome.txt", "1 refresh was sent", "Revoked",
            ] {
                #expect(output.text.contains(words), "\(words)")
            }
            #expect(!output.text.contains("\u{1B}["), "no colour where nobody looks")
        }
    }

    @Test(
        "A demo that fails ends with the code that tessera has for it",
        arguments: [(Scene.walk("--deny"), 3), ("nosuch", 2)] as [(String, Int32)]
    )
    func demoFailure(browser: String, status: Int32) async throws {
        try await Scene.play { scene in
            let output = try await scene.run("demo", "--browser", browser, environment: ["TMPDIR": scene.home])
            #expect(output.status == status, "\(output.text)")
        }
    }
}
