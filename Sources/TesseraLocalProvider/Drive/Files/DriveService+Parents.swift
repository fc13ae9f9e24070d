// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON

extension DriveService {
    /// The parents of a new file: the one that is named, or the root.
    func parents(_ wanted: [String]?, _ call: DriveCall) throws(APIFailure) -> [String] {
        guard let id = wanted?.first else {
            let access = call.access
            return [access.seesEverything || access.seesOwnFiles ? DriveFile.rootID : DriveFile.applicationDataID]
        }
        try self.checkParent(id, call)
        return [id]
    }

    /// What the parameters `addParents` and `removeParents` make of a file's parents.
    func movedParents(_ file: DriveFile, _ call: DriveCall) throws(APIFailure) -> [String] {
        let added = Self.list(call.parameters["addParents"])
        let removed = Self.list(call.parameters["removeParents"])
        for id in added where !file.parents.contains(id) {
            try self.checkParent(id, call)
            let isInside = try self.currentCatalog().descendants(of: file.id).contains { $0.id == id }
            guard id != file.id, !isInside, file.isApplicationData == (id == DriveFile.applicationDataID) else {
                throw .invalid("addParents", "A folder cannot be moved there.")
            }
        }
        for id in removed where !file.parents.contains(id) { throw .notFound(id) }
        var parents = file.parents.filter { !removed.contains($0) }
        parents += added.filter { !parents.contains($0) }
        guard parents.count <= max(1, file.parents.count) else {
            throw .forbidden("cannotAddParent", "Increasing the number of parents is not allowed")
        }
        return parents.isEmpty ? [DriveFile.rootID] : parents
    }

    /// Throws unless a file can be put there.
    private func checkParent(_ id: String, _ call: DriveCall) throws(APIFailure) {
        switch id {
        case DriveFile.rootID:
            guard call.access.seesEverything || call.access.seesOwnFiles else { throw .notFound(id) }
        case DriveFile.applicationDataID:
            guard call.access.seesApplicationData else {
                throw .forbidden(
                    "insufficientScopes",
                    "The granted scopes do not give access to all of the requested spaces."
                )
            }
        default:
            let folder = try self.visibleFile(call, id: id)
            guard folder.isFolder else {
                throw .forbidden("parentNotAFolder", "The specified parent is not a folder.")
            }
            try call.access.require(.writer, folder)
        }
    }

    private static func list(_ text: String?) -> [String] {
        text?.split(separator: ",").map(\.trimmed) ?? []
    }
}

extension DriveService {
    /// `files.generateIds`: identifiers that a new file can be created with.
    func generateIDs(_ call: DriveCall) throws(APIFailure) -> EndpointResponse {
        let count = try call.parameters.number("count", in: 1...1000) ?? 10
        let space = call.parameters["space"] ?? "drive"
        guard ["drive", DriveFile.applicationDataID].contains(space) else { throw .invalid("space") }
        guard ["files", "shortcuts", nil].contains(call.parameters["type"]) else { throw .invalid("type") }
        let seed = self.randomBytes(32)
        let ids = (0..<count).map { JSONNode.string(Self.identifier(seed + Array(String($0).utf8))) }
        let answer: JSONNode = ["kind": "drive#generatedIds", "space": .string(space), "ids": .array(ids)]
        return .json(try FieldMask(call.parameters["fields"] ?? "*").applied(to: answer))
    }

    /// The identifier of a new file: the one that its client chose, or a new one.
    func identifier(_ wanted: String?, name: String, in catalog: DriveCatalog) throws(APIFailure) -> String {
        guard let wanted else { return catalog.identifier(for: "\(name)|\(catalog.version)") }
        guard wanted.utf8.count == 33, wanted.hasPrefix("1"), Base64URL.decode(String(wanted.dropFirst())) != nil else {
            throw .invalid("file.id", "The provided file ID is not usable.")
        }
        guard catalog.file(wanted) == nil else {
            throw APIFailure(
                status: .conflict,
                statusName: "ALREADY_EXISTS",
                reason: "fileIdInUse",
                message: "A file already exists with the provided ID."
            )
        }
        return wanted
    }

    private static func identifier(_ bytes: [UInt8]) -> String {
        "1" + Base64URL.encode(Array(SHA256.hash(data: bytes).prefix(24)))
    }
}
#endif
