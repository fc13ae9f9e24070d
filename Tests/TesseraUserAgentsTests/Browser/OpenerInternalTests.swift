// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport
@testable internal import TesseraUserAgents
internal import TestTraits
internal import Testing

@Suite("Classification and environment of browser openers")
struct OpenerInternalTests {
    @Test(
        "Treats a sandboxed or Windows browser as unable to read this user's files",
        .covers(126),
        arguments: [
            "/snap/bin/firefox", "/var/lib/snapd/snap/bin/chromium", "/usr/bin/snap", "/usr/bin/flatpak",
            "/var/lib/flatpak/exports/bin/org.mozilla.firefox",
            "/home/ada/.local/share/flatpak/exports/bin/com.brave.Browser", "/usr/bin/flatpak-spawn",
            "/usr/bin/wslview", "/mnt/c/Windows/explorer.exe", "/mnt/c/Program Files/Mozilla Firefox/firefox.EXE",
        ]
    )
    func confined(path: String) { #expect(OpenerKind(path, environment: [:]) == .confined) }

    @Test("Treats every program in WSL as unable to read this user's files", .covers(126))
    func windows() {
        #expect(OpenerKind("/bin/cat", environment: ["WSL_DISTRO_NAME": "Debian"]) == .confined)
        #expect(OpenerKind("/bin/cat", environment: ["WSL_INTEROP": "/run/WSL/8_interop"]) == .confined)
    }

    @Test("Resolves a link to a sandboxed browser", .covers(126))
    func link() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "tessera-opener-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let snap = directory.appending(path: "snap").path
        let link = directory.appending(path: "chromium").path
        try Data().write(to: URL(filePath: snap))
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: snap)
        #expect(OpenerKind(link, environment: [:]) == .confined)
    }

    @Test("Treats a compiled program as a browser, and a script or opener as unknown", .covers(126))
    func others() async throws {
        let script = try await ScriptedBrowser("exit 0")
        defer { script.remove() }
        let paths = [
            script.path, "/bin/sh", "/usr/bin/env", "/nowhere/xdg-open", "/nowhere/gio", "/nowhere/python3.12",
        ]
        for path in paths {
            #expect(OpenerKind(path, environment: [:]) == .unknown, "\(path)")
        }
        #expect(OpenerKind("/bin/cat", environment: ["WSL_DISTRO_NAME": ""]) == .ordinary)
    }

    @Test(
        "Removes variables that may hold a secret from the browser's environment",
        .covers(135),
        .shows(claims: 14),
        arguments: [
            "TESSERA_PASSPHRASE", "TESSERA_STORE", "PGPASSWORD", "MYSQL_PWD", "GITHUB_TOKEN", "npm_token",
            "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "OPENAI_API_KEY", "STRIPE_KEY", "CLIENT_SECRET",
            "SECRET_KEY_BASE", "GOOGLE_APPLICATION_CREDENTIALS", "SSH_PASSPHRASE", "DB_PASS", "DB_PASSWD", "CI_JOB_JWT",
            "SESSION_COOKIE", "AZURE_DEVOPS_PAT", "NPM_CONFIG__AUTH",
        ]
    )
    func secrets(name: String) {
        #expect(ProgramEnvironment.withoutSecrets([name: "hunter2", "PATH": "/bin"]) == ["PATH": "/bin"])
    }

    @Test("Removes variables that hold a URL with a password from the browser's environment", .covers(135))
    func addresses() {
        let environment = [
            "DATABASE_URL": "postgresql://ada:hunter2@db.example/app",
            "PIP_INDEX_URL": "https://token@pypi.example/simple",
            "LIST": "x https://a:b@c.example", "HOMEPAGE": "https://www.example/@ada?x=a:b@c",
        ]
        #expect(ProgramEnvironment.withoutSecrets(environment) == ["HOMEPAGE": "https://www.example/@ada?x=a:b@c"])
    }

    @Test("Keeps the variables that a desktop program needs", .covers(135))
    func needed() {
        let environment = [
            "PATH": "/bin", "HOME": "/home/ada", "USER": "ada", "LANG": "de_DE.UTF-8", "DISPLAY": ":0",
            "WAYLAND_DISPLAY": "wayland-0", "XAUTHORITY": "/home/ada/.Xauthority", "XDG_RUNTIME_DIR": "/run/user/1000",
            "XDG_ACTIVATION_TOKEN": "t", "DESKTOP_STARTUP_ID": "i", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/bus",
            "SSH_AUTH_SOCK": "/run/agent", "PGPASSFILE": "/home/ada/.pgpass", "PWD": "/home/ada", "OLDPWD": "/",
            "GTK_IM_MODULE": "ibus", "XKB_KEYMAP": "de", "BROWSER": "firefox", "SSL_CERT_FILE": "/etc/ssl/cert.pem",
        ]
        #expect(ProgramEnvironment.withoutSecrets(environment) == environment)
    }

    @Test(
        "Removes the user name and password from a proxy address and keeps scheme, host and port",
        .covers(135),
        .shows(claims: 14),
        arguments: [
            ("http://proxy.example:3128", "http://proxy.example:3128"),
            ("http://ada:hunter2@proxy.example:3128", "http://proxy.example:3128"),
            ("http://ada:hunter2@proxy.example:3128/path?x", "http://proxy.example:3128"),
            ("socks5h://ada@[::1]:1080", "socks5h://[::1]:1080"), ("ada:hunter2@proxy.example:80", "proxy.example:80"),
            ("http://ada:p@ss/w#rd@proxy.example:80/", "http://proxy.example:80"), ("", ""),
            ("localhost,127.0.0.1,.example", "localhost,127.0.0.1,.example"),
        ],
        ["http_proxy", "HTTPS_PROXY", "all_proxy", "ftp_proxy", "npm_config_proxy"]
    )
    func proxies(address: (given: String, shown: String), name: String) {
        #expect(ProgramEnvironment.withoutSecrets([name: address.given]) == [name: address.shown])
    }
}
