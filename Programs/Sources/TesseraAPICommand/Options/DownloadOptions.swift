// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// Where contents go.
struct DownloadOptions: ParsableArguments {
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "Into this file, which is replaced; - for standard output. (default: the name it has there)",
            valueName: "file"
        ),
        completion: .file()
    )
    var file: String?

    @Flag(help: "Go on with a download that was interrupted.")
    var resume = false

    @Flag(help: "Replace a file that has the name already.")
    var force = false

    func validate() throws {
        if self.resume, self.isStandardOutput { throw ValidationError("--resume needs a file.") }
    }

    var isStandardOutput: Bool { self.file == "-" }

    /// Whether a file that has the name is replaced: where the user chose the name, or asked for it.
    var overwrites: Bool { self.force || self.file != nil }

    /// The file: the one that the user named, else one in the current directory whose name the server chose.
    func path(for name: String) -> String { self.file ?? DownloadName.file(for: name) }
}
