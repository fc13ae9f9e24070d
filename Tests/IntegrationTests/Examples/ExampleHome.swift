// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A temporary home directory for an example program, with a browser that the test controls.
final class ExampleHome {
    private let directory: URL

    /// Creates a home directory whose `$BROWSER` opens URLs in this session.
    init(opening session: WebDriverSession) throws {
        self.directory = FileManager.default.temporaryDirectory.appending(path: "tessera-example-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.directory, withIntermediateDirectories: true)
        // $BROWSER is a list of commands separated by colons, so a command in it cannot contain a URL.
        try self.write(
            "browser",
            """
            #!/bin/sh
            exec curl --silent --output /dev/null --header 'Content-Type: application/json' \
            --data "{\\"url\\":\\"$1\\"}" http://\(session.connection.authority)/session/\(session.id)/url
            """
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: self.path("browser"))
    }

    deinit { try? FileManager.default.removeItem(at: self.directory) }

    var environment: [String: String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return ["HOME": self.directory.path, "PATH": path, "BROWSER": "/bin/sh \(self.path("browser"))"]
    }

    func path(_ name: String) -> String { self.directory.appending(path: name).path }

    func write(_ name: String, _ text: String) throws {
        try Data(text.utf8).write(to: self.directory.appending(path: name))
    }

    /// Returns the names of the session files that the program saved.
    func sessions() throws -> [String] {
        let folder = self.path(".local/share/tessera/sessions")
        guard FileManager.default.fileExists(atPath: folder) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".session") }
    }
}
