// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TestTraits
internal import Testing
internal import TesseraJSON
@testable internal import TesseraLocalProvider

@Suite("Local Drive")
struct DriveInternalTests {
    static let auth = "https://www.googleapis.com/auth/"

    @Test("Lists the sample files by name in pages")
    func paging() async throws {
        let drive = try DriveUnderTest()
        let all = try await drive.names()
        #expect(all == ["Ingredients.csv", "Travel notes.md", "Welcome.txt"])
        var names: [String] = []
        var parameters = [("pageSize", "2")]
        while true {
            let response = try await drive.get("/drive/v3/files?" + ProviderUnderTest.form(parameters)).json
            names += response["files"]?.elements?.compactMap { $0["name"]?.string } ?? []
            guard let token = response["nextPageToken"]?.string else { break }
            parameters = [("pageSize", "2"), ("pageToken", token)]
        }
        #expect(names == all)
    }

    static let queries: [(String, [String])] = [
        ("name = 'Welcome.txt'", ["Welcome.txt"]), ("name='welcome.TXT'", ["Welcome.txt"]),
        ("name contains 'notes'", ["Travel notes.md"]), ("name contains 'otes'", []),
        ("mimeType = 'text/csv' and trashed = false", ["Ingredients.csv"]),
        ("mimeType != 'text/csv' and name contains 'w'", ["Welcome.txt"]),
        ("trashed = true", []), ("'root' in parents and name = 'Welcome.txt'", ["Welcome.txt"]),
        ("name = 'Welcome.txt' or mimeType contains 'csv'", ["Ingredients.csv", "Welcome.txt"]),
        ("not name contains 'w' and not (mimeType = 'text/csv')", ["Travel notes.md"]),
        ("(name = 'x' or name != 'Welcome.txt') and trashed != true", ["Ingredients.csv", "Travel notes.md"]),
        ("name = 'x' and name = 'y' or name = 'Welcome.txt'", ["Welcome.txt"]),
        ("modifiedTime > '2012-06-04T12:00:00' and 'me' in owners and mimeType = 'text/csv'", ["Ingredients.csv"]),
        ("createdTime < '2012-06-04'", []), ("modifiedTime >= '2999-01-01T00:00:00.5-08:00'", []),
        ("'ada@example.com' in writers and fullText contains 'notes \"travel\"'", ["Travel notes.md"]),
        ("'noor@tessera.example' in readers", []), ("starred = true or sharedWithMe = true", []),
        ("visibility = 'limited' and name = 'Welcome.txt'", ["Welcome.txt"]),
        ("name = 'it\\'s'", []), ("", ["Ingredients.csv", "Travel notes.md", "Welcome.txt"]),
    ]

    @Test("Finds the files that match a query", arguments: queries)
    func query(text: String, names: [String]) async throws {
        #expect(try await DriveUnderTest().names([("q", text)]) == names)
    }

    static let badParameters = [
        ("q", "name ="), ("q", "name = 'open"), ("q", "name = 'a' or"), ("q", "and"),
        ("q", "name = 'a' and"), ("q", "not"), ("q", "(trashed = false"), ("q", "trashed = false)"), ("q", "trashed"),
        ("q", "name = 'a' name = 'b'"), ("q", "name ! 'a'"), ("q", "trashed > true"), ("q", "trashed = 'true'"),
        ("q", "modifiedTime > 'yesterday'"), ("q", "modifiedTime > 2012"), ("q", "name > 'a'"), ("q", "'a' in names"),
        ("q", "properties has { key='a' }"), ("q", "visibility = 'nobody'"), ("q", "name contains 'a' \u{1F600}"),
        ("q", String(repeating: "(", count: 5000)), ("q", String(repeating: "not ", count: 5000) + "starred = true"),
        ("q", String(repeating: "starred = true or ", count: 5000) + "starred = true"),
        ("q", "name = 'a\\"), ("q", "size = '1'"), ("pageSize", "0"), ("pageSize", "1001"),
        ("pageSize", "x"), ("pageToken", "x"), ("pageToken", "LTF8fA"), ("orderBy", "colour"),
        ("orderBy", "name,"), ("orderBy", "name asc"), ("orderBy", "name desc desc"), ("spaces", "photos"),
        ("fields", "files(id"),
        ("fields", "files)"), ("fields", ","), ("fields", "a(b,)"), ("fields", String(repeating: "a(", count: 5000)),
    ]

    @Test("Rejects an invalid parameter with a 400 error", arguments: badParameters)
    func badParameter(name: String, value: String) async throws {
        let response = await (try DriveUnderTest()).get("/drive/v3/files?" + ProviderUnderTest.form([(name, value)]))
        #expect(response.status == .badRequest)
        #expect(response.reason == "invalid")
    }

    @Test("Rejects a page token of another query")
    func pageToken() async throws {
        let drive = try DriveUnderTest()
        let token = try await drive.get("/drive/v3/files?pageSize=1").json["nextPageToken"]?.string ?? ""
        let other = ProviderUnderTest.form([("pageToken", token), ("q", "trashed = false")])
        #expect(await drive.get("/drive/v3/files?" + other).status == .badRequest)
    }

    static let masks = [
        ("files(id,name),nextPageToken", #"{"files":[{"id":1,"name":2}],"nextPageToken":"t"}"#),
        ("files/name", #"{"files":[{"name":2}]}"#), ("files(user/me)", #"{"files":[{"user":{"me":true}}]}"#),
        ("files(id),files(name)", #"{"files":[{"id":1,"name":2}]}"#),
        ("files(id),files", #"{"files":[{"id":1,"name":2,"user":{"me":true}}]}"#),
        (" nextPageToken , nothing", #"{"nextPageToken":"t"}"#),
        ("files(*/me)", #"{"files":[{"id":1,"name":2,"user":{"me":true}}]}"#),
    ]

    @Test("Returns only the fields in the mask", arguments: masks)
    func fieldMask(mask: String, expected: String) throws {
        let node: JSONNode = [
            "files": [["id": 1, "name": 2, "user": ["me": true]]], "nextPageToken": "t",
        ]
        #expect(try FieldMask(mask).applied(to: node).text() == expected)
    }

    static let permissions: [(String, String, Int)] = [
        ("drive", "GET /drive/v3/files", 200), ("drive.readonly", "GET /drive/v3/files", 200),
        ("drive.metadata.readonly", "GET /drive/v3/files", 200), ("calendar.readonly", "GET /drive/v3/files", 403),
        ("drive.metadata.readonly", "GET /drive/v3/files/x?alt=media", 403),
        ("drive.readonly", "GET /drive/v3/files/x?alt=media", 404),
        ("drive.readonly", "POST /drive/v3/files", 403), ("drive.metadata.readonly", "POST /drive/v3/files", 403),
        ("drive.file", "POST /drive/v3/files", 200), ("drive", "POST /drive/v3/files", 200),
        ("drive.metadata", "PATCH /drive/v3/files/x", 404), ("drive.readonly", "PATCH /drive/v3/files/x", 403),
        ("drive.metadata", "DELETE /drive/v3/files/x", 403), ("drive.metadata", "GET /drive/v3/files/x?alt=media", 403),
        ("drive.readonly", "POST /drive/v3/files/x/copy", 403), ("drive.file", "POST /drive/v3/files/x/copy", 404),
        ("drive.file", "DELETE /drive/v3/files/trash", 403), ("drive", "DELETE /drive/v3/files/trash", 204),
        ("drive.readonly", "GET /drive/v3/files/generateIds", 403),
        ("drive.file", "GET /drive/v3/files/generateIds", 200),
        ("drive.metadata.readonly", "GET /drive/v3/files/x/permissions", 404),
        ("drive.metadata", "POST /drive/v3/files/x/permissions", 403),
        ("drive.metadata.readonly", "GET /drive/v3/files/x/export?mimeType=text/plain", 403),
        ("drive.readonly", "GET /drive/v3/changes/startPageToken", 200), ("drive.appdata", "GET /drive/v3/files", 200),
        ("drive", "DELETE /drive/v3/files/x", 404), ("drive", "GET /drive/v3/nothing", 404),
    ]

    @Test("Allows only the calls of each Drive scope", .covers(117), arguments: permissions)
    func scopes(scope: String, call: String, status: Int) async throws {
        let drive = try DriveUnderTest(scope: Self.auth + scope)
        let words = call.split(separator: " ").map(String.init)
        let method = try #require(HTTPRequest.Method(words[0]))
        #expect(await drive.send(method, words[1]).status.code == status)
    }

    @Test("Returns 403 for an insufficient scope and 401 for an invalid token")
    func errors() async throws {
        var drive = try DriveUnderTest(scope: ProviderUnderTest.calendar)
        let refusal = await drive.get("/drive/v3/files")
        let error = try refusal.json["error"]
        #expect(error?["status"]?.string == "PERMISSION_DENIED")
        #expect(refusal.reason == "insufficientPermissions")
        #expect(error?["details"]?.elements?.first?["reason"]?.string == "ACCESS_TOKEN_SCOPE_INSUFFICIENT")
        drive.token = "unknown"
        let unknown = await drive.get("/drive/v3/files")
        #expect(unknown.status == .unauthorized)
        #expect(unknown.reason == "authError")
        #expect(unknown.headers[.wwwAuthenticate]?.contains("invalid_token") == true)
    }

    @Test("Lists only the client's own files with drive.file")
    func ownFiles() async throws {
        let drive = try DriveUnderTest(scope: Self.auth + "drive.file")
        #expect(try await drive.names().isEmpty)
        #expect(await drive.upload(#"{"name": "Mine.txt"}"#, Array("x".utf8)).status == .ok)
        #expect(try await drive.names() == ["Mine.txt"])
    }

    @Test("Requires the fields parameter for about")
    func about() async throws {
        let drive = try DriveUnderTest()
        #expect(await drive.get("/drive/v3/about").reason == "required")
        let about = try await drive.get("/drive/v3/about?fields=user/emailAddress").json
        #expect(about.text.filter { !$0.isWhitespace } == #"{"user":{"emailAddress":"ada@example.com"}}"#)
        // The field mask is ignored only for the bytes of a file.
        let other = try await drive.get("/drive/v3/about?alt=media&fields=user/emailAddress").json
        #expect(other.text == about.text)
    }

    @Test("Exposes only regular, visible files of the directory and follows no links")
    func directory() async throws {
        let (directory, outside) = (try TemporaryDirectory(), try TemporaryDirectory())
        try outside.write("secret.txt", [1])
        try directory.write("plain.txt", [2])
        try directory.write(".hidden", [3])
        try directory.link("link.txt", to: outside.path + "/secret.txt")
        try directory.link("folder", to: outside.path)
        let drive = try DriveUnderTest(directory: directory)
        #expect(try await drive.names() == ["plain.txt"])
        let id = try await drive.id("plain.txt")
        try FileManager.default.removeItem(atPath: directory.path + "/plain.txt")
        try directory.link("plain.txt", to: outside.path + "/secret.txt")
        #expect(await drive.get("/drive/v3/files/\(id)?alt=media").status == .notFound)
        for id in ["..", "../secret.txt", "%2e%2e%2fsecret.txt", "plain.txt", ".hidden", "%00"] {
            #expect(await drive.get("/drive/v3/files/\(id)?alt=media").status == .notFound)
        }
        #expect(DriveDirectory.isPlain("a"))
        #expect(!DriveDirectory.isPlain("a/b"))
        #expect(!DriveDirectory.isPlain(".."))
    }

    @Test("Preserves a file's ID across restarts and reports its size and checksum")
    func metadata() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("hello.txt", Array("hello\n".utf8))
        let id = try await DriveUnderTest(directory: directory).id("hello.txt")
        let drive = try DriveUnderTest(directory: directory)
        let file = try await drive.get("/drive/v3/files/\(id)?fields=*").json
        #expect(file["size"]?.string == "6")
        #expect(file["mimeType"]?.string == "text/plain")
        #expect(file["md5Checksum"]?.string == "b1946ac92492d2347c6235b4d2611184")
    }

    static let ranges: [(String, Int, String?, String)] = [
        ("bytes=0-3", 206, "bytes 0-3/10", "0123"), ("bytes=7-", 206, "bytes 7-9/10", "789"),
        ("bytes=-2", 206, "bytes 8-9/10", "89"), ("bytes=5-99", 206, "bytes 5-9/10", "56789"),
        ("bytes=-99", 206, "bytes 0-9/10", "0123456789"), ("bytes=10-", 416, "bytes */10", ""),
        ("bytes=-0", 416, "bytes */10", ""), ("bytes=3-1", 200, nil, "0123456789"),
        ("bytes=0-1,3-4", 200, nil, "0123456789"), ("lines=1-2", 200, nil, "0123456789"),
        ("bytes=99999999999999999999-", 200, nil, "0123456789"), ("bytes=-", 200, nil, "0123456789"),
        ("bytes=0-9223372036854775807", 206, "bytes 0-9/10", "0123456789"),
    ]

    @Test("Serves byte ranges and ignores malformed ones", arguments: ranges)
    func range(header: String, status: Int, contentRange: String?, content: String) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("digits", Array("0123456789".utf8))
        let drive = try DriveUnderTest(directory: directory)
        let response = await drive.get("/drive/v3/files/\(try await drive.id("digits"))?alt=media", ["Range": header])
        #expect(response.status.code == status)
        #expect(response.headers[.contentRange] == contentRange)
        if status != 416 { #expect(try await response.wholeContent == Array(content.utf8)) }
        #expect(ByteRange(header, size: 0) != .part(first: 0, count: 0))
    }

    @Test("Writes an upload under a safe file name and preserves its original name")
    func upload() async throws {
        let directory = try TemporaryDirectory()
        let drive = try DriveUnderTest(directory: directory)
        let bytes = Array("\r\n--b not a boundary\r\n".utf8)
        let names = ["plain.txt", "plain.txt", "../up.txt", ".hidden", "a/b\u{0}c", String(repeating: "ü", count: 300)]
        for name in names {
            let metadata = JSONNode.object([JSONMember(name: "name", value: .string(name))]).text()
            let file = try await drive.upload(metadata, bytes).json
            #expect(file["name"]?.string == name)
            #expect(file["size"]?.string == String(bytes.count))
            let id = try #require(file["id"]?.string)
            #expect(try await drive.get("/drive/v3/files/\(id)?alt=media").wholeContent == bytes)
        }
        let written = try directory.names
        #expect(written.contains("plain.txt"))
        #expect(written.contains("plain (2).txt"))
        #expect(written.count == names.count)
        #expect(try await DriveUnderTest(directory: directory).names().sorted() == names.sorted())
    }

    @Test("Creates files from media or metadata alone")
    func otherUploads() async throws {
        let drive = try DriveUnderTest()
        let media = await drive.send(
            .post,
            "/upload/drive/v3/files?uploadType=media",
            ["Content-Type": "text/csv"],
            body: [1]
        )
        #expect(try media.json["mimeType"]?.string == "text/csv")
        let folder = await drive.send(
            .post,
            "/drive/v3/files",
            ["Content-Type": "application/json"],
            body: Array(#"{"name": "F", "mimeType": "application/vnd.google-apps.folder"}"#.utf8)
        )
        let id = try #require(try folder.json["id"]?.string)
        #expect(await drive.get("/drive/v3/files/\(id)?alt=media").reason == "fileNotDownloadable")
    }

    static let badUploads: [(String, String, String)] = [
        ("uploadType=multipart", "multipart/related; boundary=b", "--b\r\n\r\n{}\r\n--b--"),
        ("uploadType=multipart", "multipart/related", "--b\r\n\r\n{}\r\n--b\r\n\r\nx\r\n--b--"),
        ("uploadType=multipart", "multipart/related; boundary=b", "--b\r\n\r\n{}\r\n--b\r\n\r\nx"),
        ("uploadType=multipart", "multipart/related; boundary=b", "--b\r\n\r\n[]\r\n--b\r\n\r\nx\r\n--b--"),
        ("uploadType=multipart", "multipart/related; boundary=b", "--b\r\n\r\n{\r\n--b\r\n\r\nx\r\n--b--"),
        ("uploadType=multipart", "multipart/related; boundary=b", "--b\r\n--b\r\n--b--"),
        ("uploadType=multipart", "multipart/related; boundary=b", ""),
        ("uploadType=resumable", "application/json", "{"), ("uploadType=resumable", "text/plain", "x"),
        ("", "text/plain", "x"), ("uploadType=resumable&fields=(", "application/json", "{}"),
        ("uploadType=media&fields=(", "text/plain", "x"),
    ]

    @Test("Rejects a malformed upload and leaves no file behind", arguments: badUploads)
    func badUpload(query: String, type: String, body: String) async throws {
        let directory = try TemporaryDirectory()
        let drive = try DriveUnderTest(directory: directory)
        let response = await drive.send(
            .post,
            "/upload/drive/v3/files?\(query)",
            ["Content-Type": type],
            body: Array(body.utf8)
        )
        #expect(response.status == .badRequest)
        #expect(try directory.names.isEmpty)
    }

    @Test(
        "Ignores a corrupt index",
        arguments: [
            "", "{", "[]", #"{"files": [{"id": 1}, {"id": "a", "name": "b", "mimeType": "x\ny", "created": 1e300}]}"#,
        ]
    )
    func spoiltIndex(text: String) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("a.txt", [1])
        try directory.write(DriveDirectory.indexName, Array(text.utf8))
        #expect(try await DriveUnderTest(directory: directory).names() == ["a.txt"])
    }
}
#endif
