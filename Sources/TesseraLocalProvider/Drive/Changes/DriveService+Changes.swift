// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import TesseraJSON

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
