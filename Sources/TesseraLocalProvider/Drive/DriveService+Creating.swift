// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TesseraJSON

extension DriveService {
    /// What a client says about a new file.
    private struct NewFile {
        var name = "Untitled"
        var mimeType: String?
        var description: String?

        init() {}

        init(_ bytes: [UInt8]) throws(DriveFailure) {
            if bytes.isEmpty { return }
            guard let value = try? JSONValue(parsing: bytes), value.kind == .object else {
                throw DriveFailure(
                    status: .badRequest,
                    statusName: "INVALID_ARGUMENT",
                    reason: "parseError",
                    message: "The metadata is not a JSON object."
                )
            }
            self.name = try Self.text("name", value) ?? self.name
            self.mimeType = try Self.text("mimeType", value)
            self.description = try Self.text("description", value)
            if let parents = value["parents"], parents.elements?.map(\.string) != ["root"] {
                throw .notFound(parents.elements?.first?.string ?? "parent")
            }
            guard self.mimeType.map(MediaType.isValid) ?? true else { throw .invalid("mimeType") }
        }

        private static func text(_ name: String, _ value: JSONValue) throws(DriveFailure) -> String? {
            guard let member = value[name] else { return nil }
            guard let text = member.string, text.utf8.count <= 4096 else { throw .invalid(name) }
            return text.isEmpty ? nil : text
        }
    }

    /// `files.create`: metadata alone, media alone, or both in one message.
    func create(
        _ call: DriveCall,
        _ request: EndpointRequest,
        at now: Date
    ) throws(DriveFailure) -> EndpointResponse {
        var new: NewFile
        var bytes: [UInt8] = []
        switch (call.operation, call.parameters["uploadType"]) {
        case (.create, _):
            guard request.contentType == "application/json" || request.body.isEmpty else {
                throw .badRequest("Send the metadata as application/json.")
            }
            new = try NewFile(request.body)
        case (_, "media"):
            new = NewFile()
            new.mimeType = request.contentType.flatMap { MediaType.isValid($0) ? $0 : nil }
            bytes = request.body
        case (_, "multipart"):
            let message = try MultipartRelated(request.body, contentType: request.headers[.contentType] ?? "")
            new = try NewFile(message.metadata)
            let type = message.mediaType?.split(separator: ";").first?.trimmed.lowercased()
            new.mimeType = new.mimeType ?? type.flatMap { MediaType.isValid($0) ? $0 : nil }
            bytes = message.media
        default:
            throw .invalid("uploadType", "This Drive takes uploadType=media and uploadType=multipart.")
        }
        // Reads the mask before anything is written: a bad one must not leave a file behind.
        _ = try FieldMask(call.parameters["fields"] ?? "id")
        let file = try self.store(new, bytes, creator: call.access.clientID, at: now)
        return try self.metadata(call, of: file)
    }

    private func store(
        _ new: NewFile,
        _ bytes: [UInt8],
        creator: String,
        at now: Date
    ) throws(DriveFailure) -> DriveFile {
        let mimeType = new.mimeType ?? MediaType.of(fileName: new.name)
        let catalog = try self.currentCatalog()
        let content: DriveFile.Content =
            if mimeType.hasPrefix("application/vnd.google-apps.") {
                .none
            } else if let directory {
                .disk(fileName: try directory.create(new.name, bytes), size: Int64(bytes.count))
            } else {
                .memory(bytes)
            }
        let file = DriveFile(
            id: catalog.identifier(for: "\(new.name)|\(now.timeIntervalSince1970)|\(catalog.files.count)"),
            name: new.name,
            mimeType: mimeType,
            description: new.description,
            createdTime: now,
            modifiedTime: now,
            content: content,
            creatorID: creator
        )
        try self.add(file)
        return file
    }
}
#endif
