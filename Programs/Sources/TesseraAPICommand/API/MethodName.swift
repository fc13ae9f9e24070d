// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import TesseraAPIGenerator
internal import TesseraCommand

/// The name of a method, such as `drive.files.list`, or of an API, such as `drive`.
struct MethodName {
    /// Such as `drive`.
    let api: String
    /// Such as `v3`.
    let version: String
    /// All that was written.
    let text: String

    /// The versions that are not `v1`.
    private static let versions = [
        "drive": "v3", "calendar": "v3", "youtube": "v3", "sheets": "v4", "oauth2": "v2", "bigquery": "v2",
        "admin": "directory_v1",
    ]

    init(_ text: String, version: String?) throws {
        let api = String(text.prefix { $0 != "." })
        let version = version ?? Self.versions[api] ?? "v1"
        // Both become parts of a path and of a file's name.
        guard Self.isWord(api), Self.isWord(version) else {
            throw CommandError.usage(
                "\(text) is not a method",
                "Write it as in 'tessera api drive.files.list'."
            )
        }
        self.api = api
        self.version = version
        self.text = text
    }

    /// The method; nil where an API or a resource is named.
    func method(in document: DiscoveryDocument) throws -> DiscoveryMethod? {
        let methods = document.root.allMethods
        if let method = methods.first(where: { $0.id == self.text }) { return method }
        // A document's methods need not begin with the API's name.
        if let method = methods.first(where: { "\(self.api).\($0.id)" == self.text }) { return method }
        if self.text == self.api || methods.contains(where: { $0.id.hasPrefix(self.text + ".") }) { return nil }
        let nearest = NearestNames(to: self.text, among: methods.map(\.id))
        throw CommandError.usage(
            "\(document.name) \(document.version) has no method \(self.text)",
            "\(nearest.question)Run 'tessera api \(self.api)' to list all methods."
        )
    }

    private static func isWord(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-") else { return false }
        return text.utf8.allSatisfy { byte in
            0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || "._-".utf8.contains(byte)
        }
    }
}
