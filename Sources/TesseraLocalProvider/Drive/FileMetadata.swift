// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraJSON

/// What a client says about a file: a new one, or one whose bytes it replaces.
struct FileMetadata: Sendable {
    var name: String?
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
        self.name = try Self.text("name", value)
        self.mimeType = try Self.text("mimeType", value)
        self.description = try Self.text("description", value)
        if let parents = value["parents"], parents.elements?.map(\.string) != ["root"] {
            throw .notFound(parents.elements?.first?.string ?? "parent")
        }
        guard self.mimeType.map(MediaType.isValid) ?? true else { throw .invalid("mimeType") }
    }

    /// Takes the type of the bytes where the metadata names none.
    mutating func take(mediaType: String?) {
        let type = mediaType?.split(separator: ";").first?.trimmed.lowercased()
        self.mimeType = self.mimeType ?? type.flatMap { MediaType.isValid($0) ? $0 : nil }
    }

    private static func text(_ name: String, _ value: JSONValue) throws(DriveFailure) -> String? {
        guard let member = value[name] else { return nil }
        guard let text = member.string, text.utf8.count <= 4096 else { throw .invalid(name) }
        return text.isEmpty ? nil : text
    }
}
#endif
