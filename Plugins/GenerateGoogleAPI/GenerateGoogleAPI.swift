// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import PackagePlugin

/// `swift package generate-google-api drive.v3.json --include files.list`: runs `google-api-generator` for the package.
///
/// Modules are written into `Sources` unless `--output` says another folder; a relative one is within the package. Where
/// plugins have no network, a document has to be a file; `swift run google-api-generator` fetches those that are named.
///
/// Generating code from a document means trusting it: the document decides which server the code calls, and that server
/// receives your users' access tokens.
@main
struct GenerateGoogleAPI: CommandPlugin {
    func performCommand(context: PluginContext, arguments: [String]) async throws {
        let process = Process()
        process.executableURL = try context.tool(named: "google-api-generator").url
        process.currentDirectoryURL = context.package.directoryURL
        let saysWhere = arguments.contains { ["--output", "-o", "--help", "-h"].contains($0) }
        process.arguments = arguments + (saysWhere ? [] : ["--output", "Sources"])
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            Diagnostics.error("google-api-generator ended with status \(process.terminationStatus)")
            return
        }
    }
}
