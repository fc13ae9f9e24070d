// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON

extension DriveService {
    /// `about.get`: who calls, and how much room there is.
    func about(_ call: DriveCall) throws(DriveFailure) -> EndpointResponse {
        guard let fields = call.parameters["fields"] else {
            throw DriveFailure(
                status: .badRequest,
                statusName: "INVALID_ARGUMENT",
                reason: "required",
                message: "The 'fields' parameter is required for this method.",
                location: ("parameter", "fields")
            )
        }
        let used = try self.currentCatalog().files.reduce(Int64(0)) { $0 &+ ($1.size ?? 0) }
        let about: JSONNode = [
            "kind": "drive#about",
            "user": .object(Self.user(call)),
            "storageQuota": [
                "limit": .string(String(15 << 30)),
                "usage": .string(String(used)),
                "usageInDrive": .string(String(used)),
                "usageInDriveTrash": "0",
            ],
            "maxUploadSize": .string(String(self.directory == nil ? DriveUpload.memoryLimit : 5 << 40)),
        ]
        return .json(try FieldMask(fields).applied(to: about))
    }

    /// `files.list`: pages of what the query finds.
    func list(_ call: DriveCall) throws(DriveFailure) -> EndpointResponse {
        let fields = call.parameters["fields"] ?? "kind,incompleteSearch,nextPageToken,files(kind,id,name,mimeType)"
        let mask = try FieldMask(fields)
        let query = try call.parameters["q"].map { text throws(DriveFailure) in try DriveQuery(text) }
        let pageSize = try Self.pageSize(call.parameters)
        let start = try Self.start(call.parameters)
        let found = try self.currentCatalog().files
            .filter { call.access.sees($0) && query?.matches($0) ?? true }
        let ordered = try Self.ordered(found, by: call.parameters["orderBy"])
        let page = ordered.dropFirst(start).prefix(pageSize)
        var members = [
            JSONMember(name: "kind", value: "drive#fileList"), JSONMember(name: "incompleteSearch", value: false),
        ]
        let end = start + page.count
        if end < ordered.count {
            members.append(JSONMember(name: "nextPageToken", value: .string(Self.pageToken(end, call.parameters))))
        }
        let needsChecksum = mask.keeps("files", "md5Checksum")
        members.append(
            JSONMember(name: "files", value: .array(page.map { self.node($0, call, withChecksum: needsChecksum) }))
        )
        return .json(mask.applied(to: .object(members)))
    }

    /// `files.get`.
    func metadata(_ call: DriveCall, id: String) throws(DriveFailure) -> EndpointResponse {
        try self.metadata(call, of: try self.visibleFile(call, id: id))
    }

    /// A file as the field mask of the call wants it.
    func metadata(_ call: DriveCall, of file: DriveFile) throws(DriveFailure) -> EndpointResponse {
        let mask = try FieldMask(call.parameters["fields"] ?? "kind,id,name,mimeType")
        return .json(mask.applied(to: self.node(file, call, withChecksum: mask.keeps("md5Checksum"))))
    }

    private func node(_ file: DriveFile, _ call: DriveCall, withChecksum: Bool) -> JSONNode {
        var members = [
            JSONMember(name: "kind", value: "drive#file"),
            JSONMember(name: "id", value: .string(file.id)),
            JSONMember(name: "name", value: .string(file.name)),
            JSONMember(name: "mimeType", value: .string(file.mimeType)),
        ]
        if let description = file.description {
            members.append(JSONMember(name: "description", value: .string(description)))
        }
        members += [
            JSONMember(name: "starred", value: false),
            JSONMember(name: "trashed", value: false),
            JSONMember(name: "explicitlyTrashed", value: false),
            JSONMember(name: "parents", value: ["root"]),
            JSONMember(name: "version", value: "1"),
            JSONMember(name: "createdTime", value: .string(Self.text(file.createdTime))),
            JSONMember(name: "modifiedTime", value: .string(Self.text(file.modifiedTime))),
            JSONMember(name: "owners", value: [.object(Self.user(call))]),
            JSONMember(name: "ownedByMe", value: true),
            JSONMember(name: "shared", value: false),
        ]
        if let size = file.size {
            members.append(JSONMember(name: "size", value: .string(String(size))))
            members.append(JSONMember(name: "quotaBytesUsed", value: .string(String(size))))
            members.append(JSONMember(name: "originalFilename", value: .string(file.name)))
            if let checksum = withChecksum ? self.checksum(of: file) : nil {
                members.append(JSONMember(name: "md5Checksum", value: .string(checksum)))
            }
        }
        return .object(members)
    }

    private static func user(_ call: DriveCall) -> [JSONMember] {
        [
            JSONMember(name: "kind", value: "drive#user"),
            JSONMember(name: "displayName", value: .string(call.access.account.name)),
            JSONMember(name: "photoLink", value: .string(call.access.pictureURL)),
            JSONMember(name: "me", value: true),
            JSONMember(name: "permissionId", value: .string(call.access.account.subject)),
            JSONMember(name: "emailAddress", value: .string(call.access.account.email)),
        ]
    }

    private static func text(_ date: Date) -> String {
        // The years 1 to 9999: a file system may hold any time.
        let seconds = max(-62_135_596_800, min(253_402_300_799, date.timeIntervalSince1970))
        return Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    private static func pageSize(_ parameters: FormParameters) throws(DriveFailure) -> Int {
        guard let text = parameters["pageSize"] else { return 100 }
        guard let size = Int(text), (1...1000).contains(size) else {
            throw .invalid("pageSize", "Invalid value '\(text.prefix(40))'. Values must be within the range: [1, 1000]")
        }
        return size
    }

    private static func ordered(_ files: [DriveFile], by order: String?) throws(DriveFailure) -> [DriveFile] {
        let byName: (DriveFile, DriveFile) -> Bool = { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
        switch order {
        case nil, "name", "name_natural": return files.sorted(by: byName)
        case "name desc": return files.sorted { byName($1, $0) }
        case "modifiedTime": return files.sorted { ($0.modifiedTime, $0.id) < ($1.modifiedTime, $1.id) }
        case "modifiedTime desc": return files.sorted { ($1.modifiedTime, $1.id) < ($0.modifiedTime, $0.id) }
        default: throw .invalid("orderBy")
        }
    }

    /// A page token names where the page starts, and the question that it belongs to.
    private static func pageToken(_ start: Int, _ parameters: FormParameters) -> String {
        Base64URL.encode(Array("\(start)|\(self.question(parameters))".utf8))
    }

    private static func start(_ parameters: FormParameters) throws(DriveFailure) -> Int {
        guard let token = parameters["pageToken"] else { return 0 }
        guard let bytes = Base64URL.decode(token), let text = String(validating: bytes, as: UTF8.self),
            let bar = text.firstIndex(of: "|"), let start = Int(text[..<bar]), (0...1_000_000_000).contains(start),
            text[text.index(after: bar)...] == self.question(parameters)
        else { throw .invalid("pageToken") }
        return start
    }

    private static func question(_ parameters: FormParameters) -> String {
        "\(parameters["orderBy"] ?? "")|\(parameters["q"] ?? "")"
    }
}
#endif
