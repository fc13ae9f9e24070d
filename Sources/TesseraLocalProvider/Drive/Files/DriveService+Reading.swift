// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON

extension DriveService {
    /// `about.get`: who calls, and how much room there is.
    func about(_ call: DriveCall) throws(APIFailure) -> EndpointResponse {
        guard let fields = call.parameters["fields"] else {
            throw .required("fields", "The 'fields' parameter is required for this method.")
        }
        let own = try self.currentCatalog().files.filter { $0.isOwned(by: call.access.account) }
        let used = own.reduce(Int64(0)) { $0 &+ ($1.size ?? 0) }
        let trashed = own.filter(\.isInTrash).reduce(Int64(0)) { $0 &+ ($1.size ?? 0) }
        let about: JSONNode = [
            "kind": "drive#about",
            "user": Self.user(call.access.account, call.access),
            "storageQuota": [
                "limit": .string(String(15 << 30)),
                "usage": .string(String(used)),
                "usageInDrive": .string(String(used)),
                "usageInDriveTrash": .string(String(trashed)),
            ],
            "maxUploadSize": .string(String(self.directory == nil ? DriveUpload.memoryLimit : 5 << 40)),
            "appInstalled": true,
            "canCreateDrives": false,
        ]
        return .json(try FieldMask(fields).applied(to: about))
    }

    /// `files.list`: pages of what the query finds.
    func list(_ call: DriveCall) throws(APIFailure) -> EndpointResponse {
        let fields = call.parameters["fields"] ?? "kind,incompleteSearch,nextPageToken,files(kind,id,name,mimeType)"
        let mask = try FieldMask(fields)
        let query = try call.parameters["q"].map { text throws(APIFailure) in try DriveQuery(text) }
        let order = try DriveOrder(call.parameters["orderBy"])
        let spaces = try Self.spaces(call)
        let pageSize = try call.parameters.number("pageSize", in: 1...1000) ?? 100
        let question = ["orderBy", "q", "spaces"].map { call.parameters[$0] ?? "" }.joined(separator: "|")
        guard let start = PageToken.start(call.parameters["pageToken"], question) else { throw .invalid("pageToken") }
        let found = try self.currentCatalog().files
            .filter { file in
                call.access.lists(file) && spaces.contains(file.space)
                    && query?.matches(file, for: call.access) ?? true
            }
        let ordered = order.sorted(found)
        let page = ordered.dropFirst(start).prefix(pageSize)
        var members = [
            JSONMember(name: "kind", value: "drive#fileList"), JSONMember(name: "incompleteSearch", value: false),
        ]
        let end = start + page.count
        if end < ordered.count {
            members.append(JSONMember(name: "nextPageToken", value: .string(PageToken.text(end, question))))
        }
        let needsChecksum = mask.keeps("files", "md5Checksum")
        members.append(
            JSONMember(name: "files", value: .array(page.map { self.node($0, call, withChecksum: needsChecksum) }))
        )
        return .json(mask.applied(to: .object(members)))
    }

    /// `files.get`.
    func metadata(_ call: DriveCall, id: String) throws(APIFailure) -> EndpointResponse {
        try self.metadata(call, of: try self.visibleFile(call, id: id))
    }

    /// A file as the field mask of the call wants it.
    func metadata(_ call: DriveCall, of file: DriveFile) throws(APIFailure) -> EndpointResponse {
        let mask = try FieldMask(call.parameters["fields"] ?? "kind,id,name,mimeType")
        return .json(mask.applied(to: self.node(file, call, withChecksum: mask.keeps("md5Checksum"))))
    }

    /// The spaces that a list is about; the folder of a client's own data needs the scope for it.
    static func spaces(_ call: DriveCall) throws(APIFailure) -> [String] {
        let access = call.access
        let spaces = (call.parameters["spaces"] ?? "drive").split(separator: ",").map(\.trimmed)
        for space in spaces {
            switch space {
            case "drive": continue
            case DriveFile.applicationDataID:
                guard access.seesApplicationData else {
                    throw .forbidden(
                        "insufficientScopes",
                        "The granted scopes do not give access to all of the requested spaces."
                    )
                }
            default: throw .invalid("spaces")
            }
        }
        return spaces
    }
}

extension DriveService {
    /// `changes.getStartPageToken`.
    func startPageToken(_ call: DriveCall) throws(APIFailure) -> EndpointResponse {
        let token = String(try self.currentCatalog().version + 1)
        let answer: JSONNode = ["kind": "drive#startPageToken", "startPageToken": .string(token)]
        return .json(try FieldMask(call.parameters["fields"] ?? "*").applied(to: answer))
    }

    /// `changes.list`: each file that changed since a token was given, with its last change only.
    func changes(_ call: DriveCall) throws(APIFailure) -> EndpointResponse {
        let fields =
            call.parameters["fields"]
            ?? "kind,nextPageToken,newStartPageToken,"
            + "changes(kind,type,changeType,time,removed,fileId,file(kind,id,name,mimeType))"
        let mask = try FieldMask(fields)
        guard let token = call.parameters["pageToken"] else { throw .required("pageToken") }
        guard let start = Int(token), start > 0 else { throw .invalid("pageToken") }
        let pageSize = try call.parameters.number("pageSize", in: 1...1000) ?? 100
        let showsRemoved = call.parameters["includeRemoved"] != "false"
        let spaces = try Self.spaces(call)
        let catalog = try self.currentCatalog()
        let found = catalog.changes.values
            .filter { change in
                change.number >= start && (showsRemoved || !change.isRemoved) && call.access.lists(change.file)
                    && spaces.contains(change.file.space)
            }
            .sorted { $0.number < $1.number }
        let page = found.prefix(pageSize)
        let isLast = page.count == found.count
        let next = String(isLast ? catalog.version + 1 : (page.last?.number ?? start) + 1)
        let needsChecksum = mask.keeps("changes", "file", "md5Checksum")
        let changes = page.map { change -> JSONNode in
            var members = [
                JSONMember(name: "kind", value: "drive#change"), JSONMember(name: "type", value: "file"),
                JSONMember(name: "changeType", value: "file"),
                JSONMember(name: "time", value: .string(RFC3339.text(change.time))),
                JSONMember(name: "removed", value: .bool(change.isRemoved)),
                JSONMember(name: "fileId", value: .string(change.file.id)),
            ]
            if !change.isRemoved, let file = catalog.file(change.file.id) {
                members.append(JSONMember(name: "file", value: self.node(file, call, withChecksum: needsChecksum)))
            }
            return .object(members)
        }
        let answer = [
            JSONMember(name: "kind", value: "drive#changeList"),
            JSONMember(name: isLast ? "newStartPageToken" : "nextPageToken", value: .string(next)),
            JSONMember(name: "changes", value: .array(changes)),
        ]
        return .json(mask.applied(to: .object(answer)))
    }
}
#endif
