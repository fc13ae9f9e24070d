// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraJSON
internal import Testing

@Suite("tessera api --schema")
struct MethodSchemaTests {
    private static func play(_ body: (_ scene: Scene, _ discovery: [String]) async throws -> Void) async throws {
        try await Scene.play { scene in
            let document = scene.home + "/drive.json"
            try Data(SmallDiscovery.drive.utf8).write(to: URL(filePath: document))
            try await body(scene, ["--discovery", document])
        }
    }

    @Test("Prints the types of a method as JSON, without a session")
    func json() async throws {
        try await Self.play { scene, discovery in
            let schema = try await scene.run(["api", "drive.files.list", "--schema", "--json"] + discovery).json()
            #expect(schema["httpMethod"]?.string == "GET")
            #expect(schema["path"]?.string == "drive/v3/files")
            #expect(schema["request"]?.isNull == true)
            #expect(schema["response"]?["$ref"]?.string == "FileList")
            #expect(schema["parameters"]?["pageSize"]?["format"]?.string == "int32")
            #expect(schema["parameters"]?["includeLabels"]?["repeated"]?.bool == true)
            #expect(schema["schemas"]?["FileList"]?["properties"]?["files"]?["items"]?["$ref"]?.string == "File")
            #expect(schema["schemas"]?["File"]?["properties"]?["name"]?["type"]?.string == "string")
            #expect(schema["schemas"]?["About"] == nil)
        }
    }

    @Test("Prints the types of a method as text")
    func text() async throws {
        try await Self.play { scene, discovery in
            let create = try await scene.run(["api", "drive.files.create", "--schema"] + discovery)
            #expect(create.status == 0, "\(create.errors)")
            #expect(create.text.hasPrefix("drive.files.create\nPOST drive/v3/files\n"), "\(create.text)")
            #expect(create.text.contains("REQUEST: File\n"), "\(create.text)")
            let get = try await scene.run(["api", "drive.files.get", "--schema"] + discovery)
            #expect(get.text.contains("string, required"), "\(get.text)")
        }
    }

    @Test("Lists the methods of an API as CSV or JSON")
    func index() async throws {
        try await Self.play { scene, discovery in
            let csv = try await scene.run(["api", "drive", "--format", "csv"] + discovery)
            #expect(csv.text.hasPrefix("method,httpMethod,description\r\ndrive.about.get,GET,"), "\(csv.text)")
            let object = try await scene.run(["api", "drive", "--json"] + discovery).json()
            #expect(object["methods"]?.elements?.count == 5)
        }
    }
}
