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
#endif
