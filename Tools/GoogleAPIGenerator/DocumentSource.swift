// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif
internal import TesseraAPIGenerator
internal import TesseraSupport

/// The source of a discovery document: a file, or an API such as `drive.v3` whose document Google publishes.
struct DocumentSource {
    private static let limit = 64 << 20
    private let text: String

    init(_ text: String) { self.text = text }

    /// The name of the source in messages.
    var name: String { self.text.printable(limit: 200) }

    /// Reads the file or fetches the document from Google, and parses it.
    func document() async throws -> DiscoveryDocument {
        var isDirectory: ObjCBool = false
        let isFile = FileManager.default.fileExists(atPath: self.text, isDirectory: &isDirectory)
        guard !isDirectory.boolValue else {
            throw ToolError.usage(
                "Could not read \(self.name): it is a directory",
                "Specify a discovery document, or an API and its version, such as drive.v3."
            )
        }
        let data = isFile ? try self.read() : try await self.fetch()
        do {
            return try DiscoveryDocument(parsing: Array(data))
        } catch {
            throw ToolError(
                isFile ? .usage : .response,
                "\(self.name): \(error)",
                isFile ? "Correct the document or use another one." : "Report it to the publisher of the API."
            )
        }
    }

    private func read() throws -> Data {
        let data: Data
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: self.text))
            data = try file.read(upToCount: Self.limit + 1) ?? Data()
        } catch {
            throw ToolError.usage("Could not read \(self.name): \(error.reason)", "Check the file and its permissions.")
        }
        guard data.count <= Self.limit else {
            throw ToolError.usage("Could not read \(self.name): it is larger than 64 MiB", "Use a discovery document.")
        }
        return data
    }

    private func fetch() async throws -> Data {
        let parts = self.text.split(separator: ".", maxSplits: 1)
        guard parts.count == 2,
            self.text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "._-".utf8.contains($0) }),
            let url = URL(string: "https://www.googleapis.com/discovery/v1/apis/\(parts[0])/\(parts[1])/rest")
        else {
            throw ToolError.usage(
                "Could not find \(self.name): it is neither a file nor an API with a version",
                "Specify a discovery document, or an API such as drive.v3."
            )
        }
        let data: Data
        let response: URLResponse
        do {
            (data, response) = try await URLSession.shared.data(from: url)
        } catch {
            throw ToolError(
                .network,
                "Could not fetch the discovery document of \(self.name): \(error.reason)",
                "Check the network connection or use a local file."
            )
        }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        switch status {
        case 200: return data
        case 404:
            throw ToolError.usage(
                "Could not find the API \(self.name): Google has no discovery document for it",
                "Check the name and the version."
            )
        default:
            let isBusy = [408, 429].contains(status) || 500...599 ~= status
            throw ToolError(
                isBusy ? .network : .response,
                "Could not fetch the discovery document of \(self.name): Google's server responded with status \(status)",
                isBusy ? "Try again later." : "Use a local file."
            )
        }
    }
}
