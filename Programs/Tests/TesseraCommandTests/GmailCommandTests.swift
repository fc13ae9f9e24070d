// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("tessera gmail")
struct GmailCommandTests {
    /// Runs `body` with a signed-in user with access to mail, and the option for the root URL.
    private static func play(_ body: (_ scene: Scene, _ root: [String]) async throws -> Void) async throws {
        try await Scene.play { scene in
            try await scene.login("--scope", "https://mail.google.com/")
            try await body(scene, ["--root-url", scene.provider.baseURL])
        }
    }

    @Test("Sends, lists and reads a message")
    func letter() async throws {
        try await Self.play { scene, root in
            let subject = "Grüße aus dem Garten, in dem heute vieles auf einmal blüht"
            let words = ["gmail", "send", "--to", "ada@example.com", "--subject", subject] + root
            let text = "Liebe Ada,\nes grünt.\n"
            let sent = try await scene.run(words, input: Array(text.utf8))
            #expect(sent.status == 0, "\(sent.errors)")
            let list = try await scene.run(["gmail", "ls", "in:inbox", "--json"] + root).json()
            let letters = list["messages"]?.elements.map(Array.init) ?? []
            let letter = try #require(letters.first { $0["subject"]?.string?.contains("Welcome") == false })
            let id = try #require(letter["id"]?.string)
            let read = try await scene.run(["gmail", "get", id] + root)
            #expect(read.text.contains("To: ada@example.com\n"), "\(read.text)")
            #expect(read.text.contains("Liebe Ada,\nes grünt.\n"))
            let raw = try await scene.run(["gmail", "get", id, "--raw"] + root)
            #expect(raw.text.contains("Content-Transfer-Encoding: base64\r\n"))
            #expect(raw.text.contains(Data(text.utf8).base64EncodedString()))
            #expect(try await scene.run(["gmail", "get", id, "--json"] + root).json()["id"]?.string == id)
        }
    }

    @Test("ls prints a line for each message and applies the query")
    func list() async throws {
        try await Self.play { scene, root in
            let output = try await scene.run(["gmail", "ls"] + root)
            #expect(output.status == 0, "\(output.errors)")
            let rows = output.line.split(separator: "\n")
            #expect(rows.count == 2)
            #expect(rows.first?.split(separator: " ") == ["ID", "DATE", "FROM", "SUBJECT"])
            #expect(rows.last?.hasSuffix("Welcome") == true)
            let none = try await scene.run(["gmail", "ls", "subject:nothing", "--json"] + root).json()
            #expect(none["messages"]?.elements?.isEmpty == true)
        }
    }

    @Test(
        "Rejects values that are not valid in a header",
        arguments: [["--to", "ada"], ["--to", "ada@example.com\r\nBcc: eve@example.com"], ["--subject", "a\nb"]]
    )
    func head(_ words: [String]) async throws {
        try await Self.play { scene, root in
            var all = ["--to", "ada@example.com", "--subject", "Hello"]
            all[words[0] == "--to" ? 1 : 3] = words[1]
            let output = try await scene.run(["gmail", "send"] + all + root, input: Array("Hello".utf8))
            #expect(output.status == 2, "\(output.errors)")
            let list = try await scene.run(["gmail", "ls", "--json"] + root).json()
            #expect(list["messages"]?.elements?.count == 1)
        }
    }
}
