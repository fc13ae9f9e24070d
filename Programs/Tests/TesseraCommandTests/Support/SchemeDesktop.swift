// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing
internal import TestPrograms

/// A simulated Linux desktop with its own home directory and none of the machine's desktop entries.
struct SchemeDesktop: Sendable {
    /// A scheme like those that Google assigns.
    static let scheme = "com.googleusercontent.apps.123-abc"
    /// The scheme to register.
    let scheme: String
    let home: String
    let environment: [String: String]

    var entries: String { self.home + "/data/applications" }
    var entry: String { "\(self.entries)/tessera-\(self.scheme).desktop" }
    var choices: String { self.home + "/config/mimeapps.list" }
    /// The directory for desktop entries of other programs.
    var others: String { self.home + "/system/applications" }

    static func with(scheme: String = Self.scheme, _ body: (SchemeDesktop) async throws -> Void) async throws {
        // The path of a socket is limited to 107 bytes.
        let home = "/tmp/tessera-desktop-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
        defer { try? FileManager.default.removeItem(atPath: home) }
        let desktop = try SchemeDesktop(home: home, scheme: scheme)
        try await body(desktop)
    }

    private init(home: String, scheme: String) throws {
        self.home = home
        self.scheme = scheme
        for directory in ["/run", "/config", "/system/applications"] {
            try FileManager.default.createDirectory(
                atPath: home + directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        }
        var environment = ProcessInfo.processInfo.environment.filter { ["PATH", "LD_LIBRARY_PATH"].contains($0.key) }
        environment["HOME"] = home
        environment["XDG_RUNTIME_DIR"] = home + "/run"
        environment["XDG_DATA_HOME"] = home + "/data"
        environment["XDG_DATA_DIRS"] = home + "/system"
        environment["XDG_CONFIG_HOME"] = home + "/config"
        environment["XDG_CONFIG_DIRS"] = home + "/system/config"
        // xdg-open requires a display, but does not connect to it.
        environment["DISPLAY"] = ":nowhere"
        self.environment = environment
    }

    /// Runs `tessera register-scheme` for the scheme.
    func run(
        _ arguments: String...,
        scheme: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> CommandOutput {
        try await self.run(arguments, scheme: scheme, environment: environment)
    }

    func run(
        _ arguments: [String],
        scheme: String? = nil,
        environment: [String: String] = [:]
    ) async throws -> CommandOutput {
        let child = try ChildProgram(
            [Scene.products + "/tessera", "register-scheme", scheme ?? self.scheme] + arguments,
            environment: self.environment.merging(environment) { $1 },
            readsErrors: true
        )
        child.closeInput()
        let errors = await child.errors.rest()
        let (output, status) = await child.finish()
        return CommandOutput(status: status, bytes: output, errors: String(decoding: errors, as: UTF8.self))
    }

    func read(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    func write(_ text: String, to path: String) throws {
        let directory = URL(filePath: path).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path))
    }

    func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Adds another program that handles the scheme.
    func addOther() throws {
        try self.write(
            "[Desktop Entry]\nType=Application\nName=Other\nExec=/bin/false %u\n"
                + "MimeType=text/x;x-scheme-handler/\(self.scheme);\n",
            to: self.others + "/other.desktop"
        )
    }
}
