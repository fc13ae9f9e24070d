// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// The members of a file that a program reads when it lists files.
struct ListedFile: Decodable, Equatable {
    let id: String
    let name: String
    let mimeType: String
    let modifiedTime: String
    let size: String?
    let starred: Bool
}

/// The whole response, for Foundation's decoder.
struct ListedFiles: Decodable {
    let files: [ListedFile]
}

extension ListedFile {
    init(_ file: JSONValue) throws(JSONError) {
        self.id = try Self.text("id", in: file)
        self.name = try Self.text("name", in: file)
        self.mimeType = try Self.text("mimeType", in: file)
        self.modifiedTime = try Self.text("modifiedTime", in: file)
        self.size = file["size"]?.string
        let starred = try file.member("starred")
        guard let flag = starred.bool else { throw JSONError(.wrongKind, offset: starred.offset) }
        self.starred = flag
    }

    private static func text(_ name: String, in file: JSONValue) throws(JSONError) -> String {
        let value = try file.member(name)
        guard let text = value.string else { throw JSONError(.wrongKind, offset: value.offset) }
        return text
    }
}
