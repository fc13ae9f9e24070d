// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
internal import Testing

@Suite("Rejected registrations of a private scheme")
struct RegisterSchemeRefusalTests {
    @Test("Reports a desktop-specific default program that takes precedence")
    func overridden() async throws {
        try await SchemeDesktop.with { desktop in
            try desktop.addOther()
            let list = desktop.home + "/config/gnome-mimeapps.list"
            try desktop.write(
                "[Default Applications]\nx-scheme-handler/\(SchemeDesktop.scheme)=other.desktop\n",
                to: list
            )
            let environment = ["XDG_CURRENT_DESKTOP": "ubuntu:GNOME"]
            let output = try await desktop.run("--exec", "/bin/sh", "--replace", environment: environment)
            #expect(output.status == 2)
            #expect(output.errors.contains(list))
        }
    }

    @Test("Does not change or remove another program's entry")
    func foreign() async throws {
        try await SchemeDesktop.with { desktop in
            try desktop.write("[Desktop Entry]\nName=Mine\n", to: desktop.entry)
            #expect(try await desktop.run("--exec", "/bin/sh", "--replace").status == 2)
            #expect(try await desktop.run("--remove").status == 2)
            #expect(try desktop.read(desktop.entry) == "[Desktop Entry]\nName=Mine\n")
            #expect(!desktop.exists(desktop.choices))
        }
    }

    @Test(
        "Rejects shared and invalid schemes",
        arguments: ["http", "https", "mailto", "myapp", "com.example.app:", "com..app", "1.example", "com.example\n"]
    )
    func scheme(_ scheme: String) async throws {
        try await SchemeDesktop.with { desktop in
            let output = try await desktop.run("--exec", "/bin/sh", scheme: scheme)
            #expect(output.status == 2)
            #expect(output.errorLines.count == 1)
            #expect(!desktop.exists(desktop.entries))
        }
    }

    @Test(
        "Rejects programs that cannot be started or named in an entry",
        arguments: [
            [], ["--exec", "/nowhere"], ["--exec", "/etc/passwd"], ["--exec", "/tmp"], ["--exec", ""],
            ["--exec", "/bin/sh", "--name", "a\nb"], ["--exec", "/bin/sh", "--name", " "],
            ["--exec", "/bin/sh", "--argument", "a\u{1}"], ["--exec", "/bin/sh", "--remove"],
            ["--status", "--remove"], ["--status", "--name", "x"],
        ]
    )
    func program(_ arguments: [String]) async throws {
        try await SchemeDesktop.with { desktop in
            let output = try await desktop.run(arguments)
            #expect(output.status == 2)
            #expect(output.errorLines.count == 1, "\(output.errors)")
            #expect(!desktop.exists(desktop.entry))
        }
    }
}
#endif
