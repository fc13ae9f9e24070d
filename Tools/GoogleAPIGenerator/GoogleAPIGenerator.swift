// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraAPIGenerator

/// The `google-api-generator` program, which generates Swift modules from discovery documents.
@main
enum GoogleAPIGenerator {
    static func main() async {
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            guard !arguments.wantsHelp else { return print(Arguments.help) }
            // Read all documents before writing any files.
            var generators: [APIGenerator] = []
            for source in arguments.sources {
                generators.append(try await Self.generator(DocumentSource(source), arguments))
            }
            if arguments.output != nil || arguments.tests != nil { try Self.checkModules(generators) }
            for generator in generators { try Self.write(generator, arguments) }
        } catch {
            let error = ToolError(error)
            Self.note("\(error.message). \(error.advice)")
            exit(error.status.rawValue)
        }
    }

    private static func generator(_ source: DocumentSource, _ arguments: Arguments) async throws -> APIGenerator {
        let document = try await source.document()
        for key in document.unknownKeys {
            let line = "\(document.name) \(document.version): unknown key \(key)"
            if arguments.isStrict { throw ToolError.usage(line, "Omit --strict to ignore it.") }
            Self.note("warning: \(line)")
        }
        do {
            return try APIGenerator(document, options: arguments.options)
        } catch {
            throw ToolError.usage("\(source.name): \(error)", "Correct the options or the document.")
        }
    }

    /// Throws an error if two documents would write to the same folder.
    private static func checkModules(_ generators: [APIGenerator]) throws {
        var modules = Set<String>()
        for generator in generators where !modules.insert(generator.module.lowercased()).inserted {
            throw ToolError.usage(
                "Two documents have the same module, \(generator.module)",
                "Generate them separately, with --namespace for one of them."
            )
        }
    }

    private static func write(_ generator: APIGenerator, _ arguments: Arguments) throws {
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

    private static func note(_ text: String) {
        FileHandle.standardError.write(Data("google-api-generator: \(text)\n".utf8))
    }
}
