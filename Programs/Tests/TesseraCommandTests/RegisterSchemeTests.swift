// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
internal import Foundation
internal import Testing
internal import TesseraJSON
internal import TestPrograms

@Suite("tessera register-scheme")
struct RegisterSchemeTests {
    @Test("Registers a program, and --remove restores every byte")
    func registered() async throws {
        try await SchemeDesktop.with { desktop in
            let choices = "# mine\n[Default Applications]\ntext/html=firefox.desktop\n"
            try desktop.write(choices, to: desktop.choices)
            let output = try await desktop.run("--exec", "/bin/sh", "--name", "Example", "--icon", "example", "--json")
            #expect(output.status == 0, "\(output.errors)")
            let object = try output.json()
            #expect(object["registered"]?.bool == true)
            #expect(object["handler"]?.string == "tessera-\(SchemeDesktop.scheme).desktop")
            #expect(object["entry"]?.string == desktop.entry)
            #expect(object["chosenIn"]?.string == desktop.choices)
            #expect(try desktop.read(desktop.entry).contains("\nExec=/bin/sh %u\n"))
            #expect(
                try desktop.read(desktop.choices)
                    .contains("\nx-scheme-handler/\(SchemeDesktop.scheme)=tessera-\(SchemeDesktop.scheme).desktop;\n")
            )
            let status = try await desktop.run("--status", "--json")
            #expect(try status.json()["exec"]?.string == "/bin/sh %u")
            let removed = try await desktop.run("--remove", "--json")
            #expect(try removed.json()["removed"]?.bool == true)
            #expect(try desktop.read(desktop.choices) == choices)
            #expect(!desktop.exists(desktop.entry))
            #expect(try await desktop.run("--remove").status == 2)
            #expect(try await desktop.run("--status").text == "No program opens \(SchemeDesktop.scheme):\n")
        }
    }

    @Test("Creates missing files in an empty home directory and removes them again")
    func empty() async throws {
        try await SchemeDesktop.with { desktop in
            try FileManager.default.removeItem(atPath: desktop.home + "/config")
            #expect(try await desktop.run("--exec", "sh").status == 0)
            #expect(try desktop.read(desktop.entry).contains("\nName=sh\n"))
            // Registering the same command again succeeds. A different command line is an error.
            #expect(try await desktop.run("--exec", "sh", "--name", "Shell").status == 0)
            #expect(try await desktop.run("--exec", "sh", "--argument", "-x").status == 2)
            #expect(try await desktop.run("--exec", "sh", "--argument", "-x", "--replace").status == 0)
            #expect(try desktop.read(desktop.entry).contains("/sh -x %u\n"))
            #expect(try await desktop.run("--remove").status == 0)
            #expect(!desktop.exists(desktop.choices))
        }
    }

    @Test(
        "Replaces another program only with --replace and restores it",
        arguments: [false, true]
    )
    func occupied(isChosen: Bool) async throws {
        try await SchemeDesktop.with { desktop in
            try desktop.addOther()
            let line = "[Default Applications]\nx-scheme-handler/\(SchemeDesktop.scheme)=other.desktop\n"
            if isChosen { try desktop.write(line, to: desktop.home + "/config/mimeapps.list") }
            let refused = try await desktop.run("--exec", "/bin/sh", "--json")
            #expect(refused.status == 2)
            #expect(try refused.json()["error"]?["code"]?.string == "occupied")
            #expect(refused.errors.contains("Other"))
            #expect(!desktop.exists(desktop.entry))
            #expect(try await desktop.run("--exec", "/bin/sh", "--replace").status == 0)
            #expect(try await desktop.run("--status", "--json").json()["registered"]?.bool == true)
            let removed = try await desktop.run("--remove")
            #expect(removed.text.contains("Other"))
            #expect(try await desktop.run("--status", "--json").json()["handler"]?.string == "other.desktop")
        }
    }

    @Test("Preserves symbolic links and permissions of mimeapps.list")
    func linked() async throws {
        try await SchemeDesktop.with { desktop in
            let file = desktop.home + "/dotfiles/mimeapps.list"
            try desktop.write("[Default Applications]\na=b;\n", to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
            try FileManager.default.createSymbolicLink(atPath: desktop.choices, withDestinationPath: file)
            #expect(try await desktop.run("--exec", "/bin/sh").status == 0)
            #expect(try desktop.read(file).contains(SchemeDesktop.scheme))
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: desktop.choices) == file)
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o640)
        }
    }

    @Test("Documents every JSON member of register-scheme")
    func documented() async throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Docs/CommandLine.md").standardizedFileURL,
            encoding: .utf8
        )
        try await SchemeDesktop.with { desktop in
            var names: [String] = []
            for arguments in [["--exec", "/bin/sh"], ["--remove"]] {
                names += try await desktop.run(arguments + ["--json"]).json().members?.map(\.name) ?? []
            }
            #expect(names.count > 10)
            for name in names { #expect(page.contains("`\(name)`"), "\(name)") }
        }
    }

    @Test(
        "Writes entries that pass desktop-file-validate",
        .disabled(if: ChildProgram.find("desktop-file-validate") == nil, "desktop-file-validate is not installed")
    )
    func valid() async throws {
        try await SchemeDesktop.with { desktop in
            let words = [
                "--name", #" Ex"am\ple; $x"#, "--argument", #"a "b" \c $d `e` 100%"#, "--icon", "/tmp/an icon.png",
            ]
            #expect(try await desktop.run(["--exec", "/bin/sh"] + words).status == 0)
            let (output, status) = try await ChildProgram.run(["desktop-file-validate", desktop.entry])
            #expect(status == 0, "\(String(decoding: output, as: UTF8.self))")
        }
    }
}
#endif
