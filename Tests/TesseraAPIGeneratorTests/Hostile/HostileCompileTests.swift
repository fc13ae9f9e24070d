// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import TesseraAPIGenerator
internal import TestTraits
internal import Testing

@Suite("Compiled code of hostile documents")
struct HostileCompileTests {
    private static let texts = HostileTexts.all + HostileTexts.foreign.map { "x" + $0 + "pwned()" }
    /// The texts that a pattern can contain, which become literals in the code of the tests.
    private static let literals = Self.texts.filter { text in text.utf8.allSatisfy { 0x20...0x7E ~= $0 } }

    /// A document in which each text is used as a description and as a default value.
    private static let document: [UInt8] = {
        let quoted = Self.texts.map(HostileDocument.quoted)
        func members(_ member: (Int, String) -> String) -> String {
            quoted.enumerated().map(member).joined(separator: ",")
        }
        let scopes = members { "\"https://a.example/\($0)\": {\"description\": \($1)}" }
        let properties = members { "\"p\($0)\": {\"type\": \"string\", \"description\": \($1)}" }
        let parameters = members {
            "\"q\($0)\": {\"type\": \"string\", \"location\": \"query\", \"description\": \($1), \"default\": \($1)}"
        }
        let patterns = Self.literals.enumerated()
            .map {
                "\"r\($0)\": {\"type\": \"string\", \"location\": \"query\", \"pattern\": \(HostileDocument.quoted($1))}"
            }
        let names = quoted.indices.map { "\"v\($0)\"" }.joined(separator: ",")
        let all = HostileDocument.quoted(Self.texts.joined(separator: " "))
        return Array(
            """
            {"kind": "discovery#restDescription", "name": "notes", "version": "v1", "title": \(all), "description": \(all),
            "rootUrl": "https://notes.example/", "documentationLink": "https://notes.example/",
            "auth": {"oauth2": {"scopes": {\(scopes)}}}, "schemas": {
            "Tree": {"type": "object", "additionalProperties": {"$ref": "Tree"}},
            "Rows": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
            "Author": {"type": "object", "properties": {"id": {"type": "array", "items": {"type": "string"}}}},
            "Note": {"type": "object", "description": \(all),
            "properties": {\(properties), "tree": {"$ref": "Tree"}, "rows": {"$ref": "Rows"},
            "author": {"type": "object", "properties": {"id": {"type": "string"}}}, "reviewer": {"$ref": "Author"}, "state": {"type": "string", "description": \(all), "enum": [\(names)],
            "enumDescriptions": [\(quoted.joined(separator: ","))]}}}},
            "resources": {"notes": {"methods": {"list": {"id": "notes.notes.list", "httpMethod": "GET", "path": "notes",
            "description": \(all), "parameters": {"request": {"type": "string", "location": "query"}, \(parameters), \(patterns.joined(separator: ","))}}}}}}
            """
            .utf8
        )
    }()

    private static func files() throws -> [String: String] {
        let options = GeneratorOptions(documentation: .full)
        let generator = try APIGenerator(DiscoveryDocument(parsing: Self.document), options: options)
        let files = generator.files() + generator.testFiles()
        return Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.text) })
    }

    @Test(
        "Generates code from hostile texts that passes type checking against the runtime",
        .covers(128),
        .timeLimit(.minutes(5))
    )
    func typechecks() async throws {
        #expect(Self.texts.count > 100)
        #expect(Self.literals.count > 50)
        let products = URL(filePath: ChildProgram.built("Modules")).deletingLastPathComponent()
        var words = [
            "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-module-name", "GoogleNotesV1",
            "-enable-upcoming-feature", "MemberImportVisibility", "-I", products.appending(path: "Modules").path,
        ]
        // Skip the second copies of these modules, which are built for the plugin's tool.
        let folders = try FileManager.default.contentsOfDirectory(atPath: products.path)
        for folder in folders.sorted() where !folder.hasSuffix("-tool.build") {
            let map = products.appending(path: folder).appending(path: "module.modulemap").path
            if FileManager.default.fileExists(atPath: map) { words += ["-Xcc", "-fmodule-map-file=\(map)"] }
        }
        let stubs = """
            internal import TesseraGoogleAPI
            struct CopiedObject { init<Object: APIObject>(_: Object.Type, copy: @escaping (Object) -> Object) {} }
            struct MadeCall { init<Request: APIRequest>(_: APICall<Request>) {} }
            protocol ObjectCopies { static var all: [CopiedObject] { get } }
            protocol MethodCalls {
                associatedtype Client
                static func all(_ api: Client) -> [MadeCall]
            }
            """
        let files = try Self.files().merging(["Stubs.swift": stubs]) { first, _ in first }
        let (output, status) = try await Self.compile(words, files)
        #expect(status == 0, "\(output)")
    }

    @Test(
        "Compiles hostile texts into literals that are equal to them and never run",
        .covers(128),
        .shows(claims: 21),
        .timeLimit(.minutes(5))
    )
    func runs() async throws {
        // Replace the runtime so that a single compiler call builds the program.
        var files = try Self.files()
            .mapValues { text in
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
                return lines.filter { !$0.contains(" import ") || $0.contains("//") }.joined(separator: "\n")
            }
        let main = """
            func pwned() -> String { print("pwned"); return "" }
            _ = NotesV1Copies.all
            for call in NotesV1Calls.all(NotesV1(APIService())) {
                for number in 0..<\(Self.literals.count) {
                    print((call.values["r\\(number)"] ?? "none").unicodeScalars.map { String($0.value) }.joined(separator: " "))
                }
            }
            """
        let program = URL(filePath: NSTemporaryDirectory()).appending(path: "tessera-hostile-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: program) }
        let words = ["swiftc", "-swift-version", "5", "-module-name", "Notes", "-o", program]
        files["Runtime.swift"] = HostileRuntime.code
        files["main.swift"] = main
        let (output, status) = try await Self.compile(words, files)
        try #require(status == 0, "\(output)")
        let (printed, result) = try await ChildProgram.run([program])
        let expected = Self.literals.map { text in
            // Apply the replacements with which the generator creates a sample of a pattern.
            let sample = text.replacing("[^/]+", with: "x1").replacing(".*", with: "y")
                .filter { $0 != "^" && $0 != "$" }
            return sample.unicodeScalars.map { String($0.value) }.joined(separator: " ")
        }
        #expect(result == 0)
        #expect(String(decoding: printed, as: UTF8.self) == expected.map { $0 + "\n" }.joined())
    }

    /// Writes files to a new folder and compiles them.
    private static func compile(
        _ words: [String],
        _ files: [String: String]
    ) async throws -> (output: String, status: Int32) {
        let folder = URL(filePath: NSTemporaryDirectory()).appending(path: "tessera-hostile-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var paths: [String] = []
        for (path, text) in files.sorted(by: { $0.key < $1.key }) {
            let location = folder.appending(path: path.replacing("/", with: "-"))
            // The tests are compiled into the module itself.
            try Data(text.replacing("internal import GoogleNotesV1\n", with: "").utf8).write(to: location)
            paths.append(location.path)
        }
        let cache = folder.appending(path: "modules").path
        let compiler = try ChildProgram(words + ["-module-cache-path", cache] + paths, readsErrors: true)
        compiler.closeInput()
        let errors = await compiler.errors.rest()
        return (String(decoding: errors, as: UTF8.self), await compiler.exitStatus)
    }

}
