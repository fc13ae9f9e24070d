// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkDocuments
internal import Foundation
internal import TesseraJSON

/// A method of reading a list of files to compare.
enum Reader: String, CaseIterable {
    case tree
    case jsonSerialization = "json-serialization"
    case members
    case jsonDecoder = "json-decoder"

    /// Reads a text once.
    func read(_ text: JSONText) throws {
        switch self {
        case .tree:
            let list = try JSONValue(parsing: text.bytes, limits: JSONText.limits)
            withExtendedLifetime(list) {}
        case .jsonSerialization:
            let list = try JSONSerialization.jsonObject(with: text.data)
            withExtendedLifetime(list) {}
        case .members:
            let files = try Self.members(text)
            withExtendedLifetime(files) {}
        case .jsonDecoder:
            let files = try Self.decoded(text)
            withExtendedLifetime(files) {}
        }
    }

    /// Checks that both methods of reading members return the same files.
    static func check(_ text: JSONText) throws {
        let (own, peer) = (try Self.members(text), try Self.decoded(text))
        precondition(!own.isEmpty && own == peer)
    }

    private static func members(_ text: JSONText) throws -> [ListedFile] {
        let list = try JSONValue(parsing: text.bytes, limits: JSONText.limits)
        return try list.member("files").elements?.map { try ListedFile($0) } ?? []
    }

    private static func decoded(_ text: JSONText) throws -> [ListedFile] {
        try JSONDecoder().decode(ListedFiles.self, from: text.data).files
    }
}

/// A JSON text in the form that each library accepts, so that none has to copy it.
struct JSONText {
    static let limits = JSONLimits(maximumBytes: 1 << 28)

    let bytes: [UInt8]
    let data: Data

    init(megabytes: Int, isIndented: Bool) {
        self.bytes = FileList.make(bytes: megabytes * 1_000_000, isIndented: isIndented)
        self.data = Data(self.bytes)
    }
}
