// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// A file that goes along with a call, or comes back from it.
struct MediaOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Send this file.", valueName: "file"), completion: .file())
    var upload: String?

    @Option(help: ArgumentHelp("What the file of --upload is.", valueName: "media-type"))
    var uploadType = "application/octet-stream"

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Get the contents into this file; - for standard output.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @Flag(help: "Go on with a transfer that was interrupted.")
    var resume = false

    func validate() throws {
        if self.upload != nil, self.output != nil {
            throw ValidationError("--upload and --output exclude each other.")
        }
        if self.resume, self.upload == nil, (self.output ?? "-") == "-" {
            throw ValidationError("--resume needs --upload FILE or --output FILE.")
        }
    }

    /// Whether a file is meant at all.
    var isUsed: Bool { self.upload != nil || self.output != nil }
}
