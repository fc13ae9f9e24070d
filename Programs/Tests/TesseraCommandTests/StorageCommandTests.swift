// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Testing
internal import TesseraJSON
internal import TesseraTesting

@Suite("tessera storage")
struct StorageCommandTests {
    private static let contents = Array("Once upon a time".utf8)

    /// Runs `body` with a signed-in user and a server that has a bucket with one object.
    private static func play(_ body: (_ scene: Scene, _ server: HostileServer, _ root: [String]) async throws -> Void)
        async throws
    {
        let server = try HostileServer.start { request in
            let location = "http://\(request.head.authority ?? "")/session"
            switch (request.head.method, request.path) {
            case (.get, "/storage/v1/b/films/o"):
                return .json(
                    #"{"items": [{"name": "a/film.txt", "size": "16", "updated": "2026-05-01T12:00:00Z"}]}"#
                )
            case (.get, "/storage/v1/b/films/o/a%2Ffilm.txt"): return .respond(body: Self.contents)
            case (.post, "/upload/storage/v1/b/films/o"):
                return .status(.ok, headerFields: [.location: location])
            case (.put, "/session"): return .json(#"{"bucket": "films", "name": "b/film.txt", "size": "16"}"#)
            default: return .json(#"{"error": {"code": 404, "message": "No such bucket."}}"#, status: .notFound)
            }
        }
        defer { server.stop() }
        try await Scene.play { scene in
            try await scene.login("--scope", Scene.driveScope)
            try await body(scene, server, ["--root-url", server.baseURL])
        }
    }

    @Test("ls lists a bucket's objects as a table or a JSON object")
    func list() async throws {
        try await Self.play { scene, server, root in
            let table = try await scene.run(["storage", "ls", "films", "--prefix", "a/"] + root)
            #expect(table.status == 0, "\(table.errors)")
            let rows = table.line.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(rows.first == ["NAME", "SIZE", "UPDATED", "TYPE"])
            #expect(rows.last == ["a/film.txt", "16", "B", "2026-05-01", "12:00", "UTC"])
            #expect(server.requests.last?.query.contains { $0.name == "prefix" && $0.value == "a/" } == true)
            let json = try await scene.run(["storage", "ls", "films", "--json"] + root).json()
            #expect(json["objects"]?[0]?["name"]?.string == "a/film.txt")
            let none = try await scene.run(["storage", "ls", "nobucket"] + root)
            #expect(none.status == 3, "\(none.errors)")
            #expect(none.errors.contains("No such bucket"), "\(none.errors)")
        }
    }

    @Test("get writes an object's contents to a file or a pipe")
    func get() async throws {
        try await Self.play { scene, _, root in
            let copy = scene.home + "/copy.txt"
            let get = try await scene.run(["storage", "get", "films", "a/film.txt", "-o", copy] + root)
            #expect(get.status == 0, "\(get.errors)")
            #expect(get.line == copy, "\(get.errors)")
            #expect(Array(try Data(contentsOf: URL(filePath: copy))) == Self.contents)
            let piped = try await scene.run(["storage", "get", "films", "a/film.txt", "-o", "-"] + root)
            #expect(piped.bytes == Self.contents)
        }
    }

    @Test("put uploads a file with the specified name and prints the name")
    func put() async throws {
        try await Self.play { scene, server, root in
            let file = scene.home + "/film.txt"
            try Data(Self.contents).write(to: URL(filePath: file))
            let output = try await scene.run(
                ["storage", "put", "films", file, "--name", "b/film.txt", "--type", "text/plain"] + root
            )
            #expect(output.status == 0, "\(output.errors)")
            #expect(output.line == "b/film.txt", "\(output.errors)")
            #expect(server.requests.first { $0.head.method == .post }?.text == #"{"name":"b/film.txt"}"#)
            #expect(server.requests.first { $0.head.method == .put }?.body == Self.contents)
            #expect(TransferTests.savedUploads(scene) == [])
        }
    }
}
