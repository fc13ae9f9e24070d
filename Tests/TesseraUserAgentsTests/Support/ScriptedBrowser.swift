// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TestPrograms

/// A "browser" of a few lines of bash, in a directory of its own.
struct ScriptedBrowser: Sendable {
    let directory: String
    var path: String { "\(self.directory)/browser with 'quotes'" }
    /// The program as a word of `$BROWSER`.
    var word: String { "\"\(self.path)\"" }

    /// Another program writes it: what starts a program elsewhere in this one inherits for a moment what is open for
    /// writing, and the system refuses to run a file that is.
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

    /// Bash that sends a text to a port and waits for the end of the answer.
    static func send(_ text: String, port: UInt16) -> String {
        """
        exec 3<>/dev/tcp/127.0.0.1/\(port)
        report=\(text)
        printf 'POST / HTTP/1.1\\r\\nHost: h\\r\\nContent-Length: %s\\r\\n\\r\\n%s' "$(printf %s "$report" | wc -c)" "$report" >&3
        cat <&3 >/dev/null
        """
    }
}
