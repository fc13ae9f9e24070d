// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJSON
internal import TesseraLocalProvider
internal import Testing

@Suite("tessera drive share and export")
struct DriveSharingTests {
    @Test("share gives a user a role for a file")
    func share() async throws {
        try await TransferTests.play { scene, file, _ in
            let root = ["--root-url", scene.provider.baseURL]
            let id = try await scene.run(["drive", "put", file] + root).line
            let words = ["drive", "share", "film.bin", "--with", "noor@tessera.example"] + root
            let shared = try await scene.run(words)
            #expect(shared.status == 0, "\(shared.errors)")
            #expect(shared.line == "noor@tessera.example: reader")
            let changed = try await scene.run(words + ["--role", "commenter", "--json"]).json()
            #expect(changed["role"]?.string == "commenter")
            let list = try await scene.run("fetch", "\(scene.drive)/files/\(id)/permissions")
            #expect(list.text.contains("commenter"), "\(list.text)")
            #expect(!list.text.contains("reader"), "\(list.text)")
            #expect(try await scene.run(words + ["--role", "owner"]).status == 2)
            #expect(try await scene.run(["drive", "share", id, "--with", "noor"] + root).status == 2)
        }
    }

    @Test("export reports the API's refusal, and saves nothing")
    func export() async throws {
        try await TransferTests.play { scene, _, _ in
            let root = ["--root-url", scene.provider.baseURL]
            let copy = scene.home + "/copy.pdf"
            let words = ["drive", "export", "Welcome.txt", "-o", copy] + root
            let output = try await scene.run(words + ["--format", "pdf"])
            #expect(output.status == 3, "\(output.errors)")
            #expect(!FileManager.default.fileExists(atPath: copy))
            #expect(try await scene.run(words + ["--format", "exe"]).status == 2)
            let request = try await scene.run(words + ["--format", "docx", "--dry-run"])
            #expect(request.line.contains("/files/Welcome.txt/export?"), "\(request.text)")
            #expect(request.line.contains("wordprocessingml.document"), "\(request.text)")
        }
    }

    @Test("Lists are printed as CSV and TSV with complete values")
    func formats() async throws {
        try await TransferTests.play { scene, file, _ in
            let root = ["--root-url", scene.provider.baseURL]
            let name = "Long, \"quoted\" and\ttabbed " + String(repeating: "x", count: 80)
            #expect(try await scene.run(["drive", "put", file, "--name", name] + root).status == 0)
            let csv = try await scene.run(["drive", "ls", "Long", "--format", "csv"] + root)
            #expect(csv.text.hasPrefix("name,size,mimeType,modifiedTime,id\r\n"), "\(csv.text)\(csv.errors)")
            #expect(csv.text.contains("\"\(name.replacing("\"", with: "\"\""))\",2000000,"), "\(csv.text)")
            let tsv = try await scene.run(["drive", "ls", "Long", "--format", "tsv"] + root)
            #expect(tsv.text.contains(name.replacing("\t", with: "\\t") + "\t2000000\t"), "\(tsv.text)")
            #expect(try await scene.run(["drive", "ls", "--format", "json"] + root).json()["files"] != nil)
            #expect(try await scene.run(["drive", "ls", "--json", "--format", "csv"] + root).status == 2)
            let scopes = try await scene.run("scopes", "--format", "csv")
            #expect(scopes.text.hasPrefix("scope,state\r\n"), "\(scopes.text)")
            let accounts = try await scene.run("accounts", "--format", "tsv")
            #expect(accounts.text.hasPrefix("account\tlabel\tissuer\tstate\tgranted\tsubject\tclientID\tselected\n"))
        }
    }
}
