// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TestPrograms

/// A "browser" implemented as a short bash script in a temporary directory.
struct ScriptedBrowser: Sendable {
    let directory: String
    var path: String { "\(self.directory)/browser with 'quotes'" }
    /// The script's path as a quoted word for `$BROWSER`.
    var word: String { "\"\(self.path)\"" }

    /// Creates the script in a child process.
    ///
    /// A program started elsewhere in this process briefly inherits files that are open for writing, and the system
    /// refuses to execute a file that is open for writing.
    init(_ body: String) async throws {
        let temporary = FileManager.default.temporaryDirectory.path
        self.directory = "\(temporary)/tessera-browser-\(UInt64.random(in: 0 ... .max))"
        try FileManager.default.createDirectory(
            at: URL(filePath: self.directory),
            withIntermediateDirectories: true
        )
        let (_, status) = try await ChildProgram.run(
            ["/bin/sh", "-c", "cat >\"$0\" && chmod 700 \"$0\"", self.path],
            input: "#!/bin/bash\n\(body)\n"
        )
        guard status == 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    func remove() { try? FileManager.default.removeItem(atPath: self.directory) }

    /// Returns bash code that sends a text to a port and waits for the end of the response.
    static func send(_ text: String, port: UInt16) -> String {
        """
        exec 3<>/dev/tcp/127.0.0.1/\(port)
        report=\(text)
        printf 'POST / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: %s\\r\\n\\r\\n%s' "$(printf %s "$report" | wc -c)" "$report" >&3
        cat <&3 >/dev/null
        """
    }
}
