// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraAPIGenerator

/// `google-api-generator`: makes Swift modules of discovery documents.
@main
enum GoogleAPIGenerator {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            guard !arguments.wantsHelp else { return print(Arguments.help) }
            for source in arguments.sources { try await Self.generate(source, arguments) }
        } catch {
            FileHandle.standardError.write(Data("google-api-generator: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func generate(_ source: String, _ arguments: Arguments) async throws {
        let document = try DiscoveryDocument(parsing: Array(try await DocumentSource.data(source)))
        for key in document.unknownKeys {
            let line = "\(document.name) \(document.version): unknown key \(key)"
            if arguments.isStrict { throw ArgumentError(line) }
            FileHandle.standardError.write(Data("google-api-generator: warning: \(line)\n".utf8))
        }
        let generator = try APIGenerator(document, options: arguments.options)
        let files = generator.files()
        if let tests = arguments.tests {
            try ModuleFolder(URL(fileURLWithPath: tests)).write(generator.testFiles())
        }
        guard let output = arguments.output else {
            return print(
                "\(generator.module): \(files.count) files, \(files.reduce(0) { $0 + $1.text.utf8.count }) bytes"
            )
        }
        let folder = ModuleFolder(URL(fileURLWithPath: output).appendingPathComponent(generator.module))
        let changes = try folder.take(files)
        print("\(generator.module): \(files.count) files, \(changes) changed")
    }
}
