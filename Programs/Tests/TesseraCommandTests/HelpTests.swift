// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Testing

@Suite("Help of the command line")
struct HelpTests {
    @Test(
        "Help of every command starts with the abstract and contains examples",
        arguments: [
            ([], "Sign in with Google or another provider, and call APIs"),
            (["login"], "Sign in with a browser"),
            (["accounts"], "List accounts or select the default one"),
            (["accounts", "select"], "Select the default account"),
            (["status"], "Show scopes, token and store of a session"),
            (["doctor"], "Diagnose sign-in problems and suggest fixes"),
            (["scopes"], "List granted scopes or request more"),
            (["scopes", "add"], "Request more scopes in a browser"),
            (["token"], "Print a valid access token"),
            (["import"], "Import credentials from another tool"),
            (["export"], "Export a session for use by other Google libraries"),
            (["credentials"], "Show credentials for programs without a user"),
            (["credentials", "show"], "Show which credentials are used and why"),
            (["fetch"], "Call an API with your access token"),
            (["api"], "Call any Google API method by name"),
            (["drive"], "List, transfer, share and remove Google Drive files"),
            (["drive", "put"], "Upload a file and print its identifier"),
            (["drive", "share"], "Share a file with a user"),
            (["drive", "export"], "Convert a Google document and download it"),
            (["gmail"], "List, read, draft and send Gmail messages"),
            (["gmail", "drafts"], "List or create drafts"),
            (["gmail", "drafts", "create"], "Create a plain-text draft and print its identifier"),
            (["gmail", "attachments"], "List or save the attachments of a message"),
            (["gmail", "attachments", "save"], "Save the attachments of a message"),
            (["calendar"], "List and add Google Calendar events"),
            (["calendar", "ls"], "List events in order of their start"),
            (["calendar", "add"], "Add an event and print its identifier"),
            (["storage"], "List, download and upload Cloud Storage objects"),
            (["userinfo"], "Show the user's profile from the provider"),
            (["logout"], "Sign out and optionally revoke access"),
            (["agent"], "Serve access tokens to local programs"),
            (["agent", "start"], "Run the agent in the foreground or background"),
            (["agent", "status"], "Show the status and accounts of the agent"),
            (["agent", "stop"], "Stop the agent after it saves pending changes"),
            (["register"], "Register a client with a provider"),
            (["register-scheme"], "Register a private URL scheme on a Linux desktop"),
            (["discover"], "Show a provider's capabilities"),
            (["inspect"], "Decode a JWT and verify its signature"),
            (["provider"], "Run a local Google-like provider with a small Drive"),
            (["demo"], "Demonstrate a sign-in with a local provider"),
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

    @Test("Generates completion scripts for bash, zsh and fish", arguments: ["bash", "zsh", "fish"])
    func completions(_ shell: String) async throws {
        try await Scene.play { scene in
            let output = try await scene.run("--generate-completion-script", shell)
            #expect(output.status == 0)
            #expect(output.text.contains("userinfo"))
        }
    }

    @Test("Prints the version")
    func version() async throws {
        try await Scene.play { scene in
            let output = try await scene.run("--version")
            #expect(output.status == 0)
            #expect(output.line.split(separator: ".").count == 3)
        }
    }

    @Test("The demo completes without a browser and removes its files")
    func demo() async throws {
        try await Scene.play { scene in
            let output = try await scene.run("demo", "--headless", environment: ["TMPDIR": scene.home])
            #expect(output.status == 0, "\(output.text)")
            for words in [
                "completes the provider's pages itself", "HTTP 403", "Welcome.txt", "1 refresh was sent", "Revoked",
            ] {
                #expect(output.text.contains(words), "\(words)")
            }
            #expect(!output.text.contains("\u{1B}["), "no color without a terminal")
        }
    }

    @Test(
        "The demo exits with the code of its error",
        arguments: [(Scene.walk("--deny"), 3), ("nosuch", 2)] as [(String, Int32)]
    )
    func demoFailure(browser: String, status: Int32) async throws {
        try await Scene.play { scene in
            let output = try await scene.run("demo", "--browser", browser, environment: ["TMPDIR": scene.home])
            #expect(output.status == status, "\(output.text)")
        }
    }
}
