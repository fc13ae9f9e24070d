// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import ArgumentParser

/// Where contents go.
struct DownloadOptions: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "Into this file; - for standard output. (default: the name it has there)",
            valueName: "file"
        ),
        completion: .file()
    )
    var file: String?

    @Flag(help: "Go on with a download that was interrupted.")
    var resume = false

    func validate() throws {
        if self.resume, self.isStandardOutput { throw ValidationError("--resume needs a file.") }
    }

    var isStandardOutput: Bool { self.file == "-" }

    /// The file; a name from outside never leads to another directory, and hides nothing.
    func path(for name: String) -> String {
        if let file { return file }
        let last = name.split(separator: "/").last.map(String.init) ?? ""
        let clean = String(
            last.map { $0.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F } ? $0 : "_" }
        )
        return clean.isEmpty || clean.hasPrefix(".") ? "_" + clean : clean
    }
}
#endif
