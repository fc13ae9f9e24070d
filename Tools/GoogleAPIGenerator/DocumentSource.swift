// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Where documents come from.
enum DocumentSource {
    /// A file's contents, or those of the document that Google publishes for an API such as `drive.v3`.
    static func data(_ source: String) async throws -> Data {
        if FileManager.default.fileExists(atPath: source) {
            return try Data(contentsOf: URL(fileURLWithPath: source))
        }
        let parts = source.split(separator: ".", maxSplits: 1)
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "._-"))
        guard parts.count == 2, source.unicodeScalars.allSatisfy({ allowed.contains($0) }),
            let url = URL(string: "https://www.googleapis.com/discovery/v1/apis/\(parts[0])/\(parts[1])/rest")
        else {
            throw ArgumentError("\(source) is no file, and no API with its version, such as drive.v3")
        }
        let (data, response) = try await URLSession.shared.data(from: url)
        guard (response as? HTTPURLResponse)?.statusCode == 200 else {
            throw ArgumentError("Google has no discovery document of \(source)")
        }
        return data
    }
}
