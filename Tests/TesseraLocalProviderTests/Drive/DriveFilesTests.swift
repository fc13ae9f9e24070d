// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJSON
internal import TesseraLocalProvider

@Suite("Local Drive file methods over HTTP")
struct DriveFilesTests {
    static let folder = "application/vnd.google-apps.folder"

    @Test("Lists the files of a folder in order and in pages")
    func folders() async throws {
        try await LiveAPI.with { drive in
            let folder = try await drive.create(#"{"name": "Box", "mimeType": "\#(Self.folder)"}"#)
            for name in ["b10", "b2", "A", "c"] {
                let type = name == "c" ? Self.folder : "text/plain"
                _ = try await drive.create(#"{"name": "\#(name)", "mimeType": "\#(type)", "parents": ["\#(folder)"]}"#)
            }
            let query = ("q", "'\(folder)' in parents")
            #expect(try await drive.names(query, ("orderBy", "name desc")) == ["c", "b2", "b10", "A"])
            #expect(try await drive.names(query, ("orderBy", "folder,name_natural")) == ["c", "A", "b2", "b10"])
            var (names, token): ([String], String?) = ([], nil)
            repeat {
                let page =
                    [query, ("pageSize", "3"), ("fields", "nextPageToken,files(name,parents)")]
                    + (token.map { [("pageToken", $0)] } ?? [])
                let list = try await drive.json(.get, "/drive/v3/files?" + LiveClient.form(page))
                names += list["files"]?.elements?.compactMap { $0["name"]?.string } ?? []
                #expect(list["files"]?.elements?.first?["parents"]?[0]?.string == folder)
                #expect(list["kind"] == nil)
                token = list["nextPageToken"]?.string
            } while token != nil
            #expect(names == ["A", "b10", "b2", "c"])
            #expect(try await drive.failure(.get, "/drive/v3/files?pageToken=unknown") == "400 invalid")
            let root = try await drive.json(.get, "/drive/v3/files/root")
            #expect(root["mimeType"]?.string == Self.folder)
            #expect(try await drive.failure(.post, "/drive/v3/files", #"{"parents": ["nowhere"]}"#) == "404 notFound")
        }
    }

    @Test("Changes, clears and moves with PATCH", arguments: [true, false])
    func patch(onDisk: Bool) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("plain.txt", [1, 2, 3])
        let options = LocalProviderTests.options { $0.dataDirectory = onDisk ? directory.path : nil }
        let metadata = #"{"name": "New.txt", "description": "d", "starred": true, "properties": {"a": "1", "b": "2"}}"#
        try await LiveAPI.with(options) { drive in
            let file = onDisk ? try await Self.first(drive) : try await drive.create("{}")
            let folder = try await drive.create(#"{"name": "Box", "mimeType": "\#(Self.folder)"}"#)
            let path = "/drive/v3/files/\(file)?fields=*"
            var response = try await drive.json(.patch, path, metadata)
            #expect(response["description"]?.string == "d")
            #expect(response["starred"]?.bool == true)
            let time = #"{"description": null, "properties": {"a": null}, "modifiedTime": "2001-02-03T04:05:06+01:00"}"#
            response = try await drive.json(.patch, path, time)
            #expect(response["name"]?.string == "New.txt")
            #expect(response["description"] == nil)
            #expect(response["properties"]?.text.filter { !$0.isWhitespace } == #"{"b":"2"}"#)
            #expect(response["modifiedTime"]?.string == "2001-02-03T03:05:06.000Z")
            #expect(try await drive.failure(.patch, path + "&addParents=\(folder)", "{}") == "403 cannotAddParent")
            response = try await drive.json(.patch, path + "&addParents=\(folder)&removeParents=root", "{}")
            #expect(response["parents"]?[0]?.string == folder)
            let badPatches = [
                (#"{"parents": ["root"]}"#, "403 fieldNotWritable"), (#"{"id": "x"}"#, "403 fieldNotWritable"),
                (#"{"size": "1"}"#, "403 fieldNotWritable"), ("[]", "400 parseError"), ("{", "400 parseError"),
                (#"{"starred": 1}"#, "400 invalid"), (#"{"modifiedTime": "now"}"#, "400 invalid"),
                (#"{"mimeType": "a\nb"}"#, "400 invalid"), (#"{"properties": {"a": 1}}"#, "400 invalid"),
            ]
            for (patch, failure) in badPatches { #expect(try await drive.failure(.patch, path, patch) == failure) }
            let itself = "/drive/v3/files/\(folder)?removeParents=root&addParents=\(folder)"
            #expect(try await drive.failure(.patch, itself, "{}") == "400 invalid")
        }
        guard onDisk else { return }
        // The index stores the metadata that the directory cannot represent.
        try await LiveAPI.with(options) { drive in
            let list = try await drive.json(.get, "/drive/v3/files?fields=*&q=starred%3Dtrue")
            let file = try #require(list["files"]?[0])
            let parent = file["parents"]?[0]?.string ?? ""
            #expect(try await drive.json(.get, "/drive/v3/files/\(parent)")["name"]?.string == "Box")
            #expect(file["name"]?.string == "New.txt")
            #expect(file["properties"]?["b"]?.string == "2")
            #expect(file["modifiedTime"]?.string == "2001-02-03T03:05:06.000Z")
            #expect(file["size"]?.string == "3")
        }
    }

    private static func first(_ drive: LiveAPI) async throws -> String {
        let list = try await drive.json(.get, "/drive/v3/files")
        return try #require(list["files"]?[0]?["id"]?.string)
    }

    @Test("Copies a file with its content and changes, and rejects a folder", arguments: [true, false])
    func copy(onDisk: Bool) async throws {
        let directory = try TemporaryDirectory()
        try directory.write("plain.txt", [1, 2, 3])
        let options = LocalProviderTests.options { $0.dataDirectory = onDisk ? directory.path : nil }
        try await LiveAPI.with(options) { drive in
            let source = try await Self.first(drive)
            let copy = try await drive.json(.post, "/drive/v3/files/\(source)/copy?fields=*", #"{"starred": true}"#)
            let original = try await drive.json(.get, "/drive/v3/files/\(source)?fields=*")
            #expect(copy["name"]?.string == "Copy of " + (original["name"]?.string ?? ""))
            #expect(copy["md5Checksum"] == original["md5Checksum"])
            #expect(copy["id"] != original["id"])
            #expect(copy["starred"]?.bool == true)
            #expect(original["starred"]?.bool == false)
            let folder = try await drive.create(#"{"mimeType": "\#(Self.folder)"}"#)
            #expect(try await drive.failure(.post, "/drive/v3/files/\(folder)/copy") == "403 cannotCopyFile")
        }
    }

    @Test("Trashes, restores and deletes a folder with its contents")
    func trash() async throws {
        try await LiveAPI.with { drive in
            let folder = try await drive.create(#"{"name": "Box", "mimeType": "\#(Self.folder)"}"#)
            let file = try await drive.create(#"{"name": "In it", "parents": ["\#(folder)"]}"#)
            let path = "/drive/v3/files/\(file)?fields=trashed,explicitlyTrashed"
            _ = try await drive.json(.patch, "/drive/v3/files/\(folder)", #"{"trashed": true}"#)
            let trashed = try await drive.json(.get, path)
            #expect(trashed["trashed"]?.bool == true)
            #expect(trashed["explicitlyTrashed"]?.bool == false)
            #expect(try await drive.names(("q", "trashed = true")) == ["Box", "In it"])
            _ = try await drive.json(.patch, "/drive/v3/files/\(folder)", #"{"trashed": false}"#)
            #expect(try await drive.json(.get, path)["trashed"]?.bool == false)
            _ = try await drive.json(.patch, "/drive/v3/files/\(folder)", #"{"trashed": true}"#)
            #expect(try await drive.send(.delete, "/drive/v3/files/trash").status == .noContent)
            #expect(try await drive.failure(.get, path) == "404 notFound")
            #expect(try await drive.names().count == 3)
            let other = try await drive.create(#"{"mimeType": "\#(Self.folder)"}"#)
            let inside = try await drive.create(#"{"parents": ["\#(other)"]}"#)
            #expect(try await drive.send(.delete, "/drive/v3/files/\(other)").status == .noContent)
            #expect(try await drive.failure(.get, "/drive/v3/files/\(inside)") == "404 notFound")
            #expect(try await drive.failure(.delete, "/drive/v3/files/root") == "403 insufficientFilePermissions")
        }
    }

    @Test("Creates a file once under a generated ID")
    func generatedIDs() async throws {
        try await LiveAPI.with { drive in
            let generated = try await drive.json(.get, "/drive/v3/files/generateIds?count=3")
            let ids = generated["ids"]?.elements?.compactMap { $0.string } ?? []
            try #require(Set(ids).count == 3)
            try #require(generated["space"]?.string == "drive")
            #expect(try await drive.create(#"{"id": "\#(ids[0])"}"#) == ids[0])
            #expect(try await drive.failure(.post, "/drive/v3/files", #"{"id": "\#(ids[0])"}"#) == "409 fileIdInUse")
            #expect(try await drive.failure(.post, "/drive/v3/files", #"{"id": "mine"}"#) == "400 invalid")
            let copy = try await drive.json(.post, "/drive/v3/files/\(ids[0])/copy", #"{"id": "\#(ids[1])"}"#)
            #expect(copy["id"]?.string == ids[1])
            for bad in ["count=0", "count=1001", "count=x", "space=moon", "type=moons"] {
                #expect(try await drive.failure(.get, "/drive/v3/files/generateIds?\(bad)") == "400 invalid")
            }
        }
    }

    @Test("Enforces ownership and the permissions of each role")
    func permissions() async throws {
        try await LiveAPI.with { ada in
            let noor = try await LiveAPI(ada.client, scope: "drive", as: "noor@tessera.example")
            let path = "/drive/v3/files/\(try await ada.create(#"{"name": "Plan"}"#))"
            #expect(try await noor.failure(.get, path) == "404 notFound")
            let reader = #"{"type": "user", "role": "reader", "emailAddress": "noor@tessera.example"}"#
            let permission = try await ada.json(.post, path + "/permissions", reader)
            let id = try #require(permission["id"]?.string)
            #expect(try await noor.names(("q", "sharedWithMe = true")) == ["Plan"])
            #expect(try await noor.json(.get, path + "?fields=*")["ownedByMe"]?.bool == false)
            #expect(try await noor.failure(.patch, path, "{}") == "403 insufficientFilePermissions")
            #expect(try await noor.failure(.delete, path) == "403 insufficientFilePermissions")
            _ = try await ada.json(.patch, path + "/permissions/\(id)", #"{"role": "writer"}"#)
            #expect(try await noor.json(.patch, path, #"{"name": "Plan B"}"#)["name"]?.string == "Plan B")
            #expect(try await noor.failure(.patch, path, #"{"trashed": true}"#) == "403 insufficientFilePermissions")
            let list = try await ada.json(.get, path + "/permissions?fields=permissions(role,emailAddress)")
            #expect(list["permissions"]?.elements?.map { $0["role"]?.string } == ["owner", "writer"])
            let owner = #"{"role": "owner"}"#
            #expect(try await ada.failure(.patch, path + "/permissions/\(id)", owner) == "403 forbidden")
            _ = try await ada.json(.patch, path + "/permissions/\(id)?transferOwnership=true", owner)
            #expect(try await noor.json(.get, path + "?fields=ownedByMe")["ownedByMe"]?.bool == true)
            #expect(try await ada.failure(.delete, path + "/permissions/\(id)") == "403 insufficientFilePermissions")
            let own = try await ada.json(.get, "/drive/v3/about?fields=user")["user"]?["permissionId"]?.string ?? ""
            #expect(try await ada.send(.delete, path + "/permissions/\(own)").status == .noContent)
            #expect(try await ada.failure(.get, path) == "404 notFound")
            let anyone = try await noor.json(.post, path + "/permissions", #"{"type": "anyone", "role": "reader"}"#)
            #expect(anyone["id"]?.string == "anyoneWithLink")
            #expect(try await ada.json(.get, path)["name"]?.string == "Plan B")
            #expect(try await ada.names().contains("Plan B") == false)
            for bad in [
                "{", #"{"role": "reader"}"#, #"{"type": "user", "role": "reader"}"#,
                #"{"type": "anyone", "role": "king"}"#,
                #"{"type": "anyone", "role": "organizer"}"#,
            ] {
                #expect(try await noor.send(.post, path + "/permissions", bad).status == .badRequest)
            }
            #expect(try await noor.failure(.get, path + "/permissions/unknown") == "404 notFound")
        }
    }

    @Test("Shares all files in a shared folder")
    func sharedFolder() async throws {
        try await LiveAPI.with { ada in
            let noor = try await LiveAPI(ada.client, scope: "drive", as: "noor@tessera.example")
            let folder = try await ada.create(#"{"name": "Box", "mimeType": "\#(Self.folder)"}"#)
            let inside = #"{"name": "In it", "parents": ["\#(folder)"]}"#
            let path = "/drive/v3/files/\(try await ada.create(inside))"
            #expect(try await noor.failure(.post, "/drive/v3/files", inside) == "404 notFound")
            let permissions = "/drive/v3/files/\(folder)/permissions"
            let reader = #"{"type": "domain", "role": "reader", "domain": "tessera.example"}"#
            _ = try await ada.json(.post, permissions, reader)
            #expect(try await noor.failure(.post, "/drive/v3/files", inside) == "403 insufficientFilePermissions")
            let writer = #"{"type": "domain", "role": "writer", "domain": "tessera.example"}"#
            _ = try await ada.json(.post, permissions, writer)
            #expect(try await ada.json(.get, permissions)["permissions"]?.elements?.count == 2)
            #expect(try await noor.json(.patch, path, #"{"name": "Mine, too"}"#)["name"]?.string == "Mine, too")
            let hers = try await noor.create(inside)
            #expect(try await ada.names(("q", "'\(folder)' in parents")) == ["In it", "Mine, too"])
            #expect(try await ada.failure(.delete, "/drive/v3/files/\(hers)") == "403 insufficientFilePermissions")
            _ = try await ada.json(.patch, "/drive/v3/files/\(hers)", #"{"starred": true}"#)
        }
    }

    @Test("Accepts a long query in a POST body with a method override")
    func longQuery() async throws {
        try await LiveAPI.with { drive in
            var fields = HTTPFields()
            fields[.authorization] = "Bearer \(drive.token)"
            fields[.contentType] = "application/x-www-form-urlencoded"
            fields[try #require(HTTPField.Name("X-HTTP-Method-Override"))] = "GET"
            let query = LiveClient.form([("q", "name = 'Welcome.txt'")])
            let response = try await drive.client.send(.post, "/drive/v3/files", fields, body: query)
            #expect(try response.json["files"]?.elements?.count == 1)
        }
    }

    @Test("Reports each changed file once, starting at the page token")
    func changes() async throws {
        try await LiveAPI.with { drive in
            let token = try await drive.json(.get, "/drive/v3/changes/startPageToken")["startPageToken"]?.string ?? ""
            let updated = try await drive.create(#"{"name": "Kept"}"#)
            let deleted = try await drive.create(#"{"name": "Gone"}"#)
            _ = try await drive.json(.patch, "/drive/v3/files/\(updated)", #"{"name": "Still kept"}"#)
            _ = try await drive.send(.delete, "/drive/v3/files/\(deleted)")
            let list = try await drive.json(.get, "/drive/v3/changes?pageToken=\(token)")
            let changes = try #require(list["changes"]?.elements)
            #expect(changes.map { $0["fileId"]?.string } == [updated, deleted])
            #expect(changes.map { $0["removed"]?.bool } == [false, true])
            #expect(changes.first?["file"]?["name"]?.string == "Still kept")
            let next = try #require(list["newStartPageToken"]?.string)
            #expect(
                try await drive.json(.get, "/drive/v3/changes?pageToken=\(next)")["changes"]?.elements?.isEmpty == true
            )
            _ = try await drive.json(.patch, "/drive/v3/files/\(updated)", #"{"starred": true}"#)
            let one = try await drive.json(.get, "/drive/v3/changes?pageToken=\(next)")
            #expect(one["changes"]?.elements?.count == 1)
            let page = try await drive.json(.get, "/drive/v3/changes?pageSize=1&pageToken=\(token)")
            #expect(page["nextPageToken"] != nil)
            #expect(page["newStartPageToken"] == nil)
            #expect(try await drive.failure(.get, "/drive/v3/changes") == "400 required")
            #expect(try await drive.failure(.get, "/drive/v3/changes?pageToken=x") == "400 invalid")
        }
    }

    @Test("Restricts application data to its client and scope")
    func applicationData() async throws {
        try await LiveAPI.with(scope: "drive.appdata") { own in
            let drive = try await LiveAPI(own.client)
            let id = try await own.create(#"{"name": "settings", "parents": ["appDataFolder"]}"#)
            #expect(try await own.names(("spaces", "appDataFolder")) == ["settings"])
            #expect(try await own.names().isEmpty)
            #expect(try await drive.names().contains("settings") == false)
            #expect(try await drive.failure(.get, "/drive/v3/files/\(id)") == "404 notFound")
            #expect(try await drive.failure(.get, "/drive/v3/files?spaces=appDataFolder") == "403 insufficientScopes")
        }
    }

    @Test("Exports only Google Docs editors files")
    func export() async throws {
        try await LiveAPI.with { drive in
            let file = try await drive.create(#"{"name": "a.txt"}"#)
            let document = try await drive.create(#"{"mimeType": "application/vnd.google-apps.document"}"#)
            let path = "/drive/v3/files/"
            #expect(try await drive.failure(.get, path + "\(file)/export") == "400 required")
            let plain = "/export?mimeType=text/plain"
            #expect(try await drive.failure(.get, path + file + plain) == "403 fileNotExportable")
            #expect(try await drive.send(.get, path + document + plain).status == .ok)
        }
    }
}
#endif
