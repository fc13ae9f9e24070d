// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import Crypto
internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON

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
