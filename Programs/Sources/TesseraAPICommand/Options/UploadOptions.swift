// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser

/// How a file is sent.
struct UploadOptions: ParsableArguments {
    @Option(help: ArgumentHelp("What it is called there. (default: the file's name)", valueName: "name"))
    var name: String?

    @Option(help: ArgumentHelp("What it is.", valueName: "media-type"))
    var type = "application/octet-stream"

    @Flag(help: "Go on with an upload that was interrupted.")
    var resume = false
}
