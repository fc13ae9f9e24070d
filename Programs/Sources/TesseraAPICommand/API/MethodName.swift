// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import TesseraAPIGenerator
internal import TesseraCommand

/// The name of a method, such as `drive.files.list`, or of an API, such as `drive`.
struct MethodName {
    /// The API's name, such as `drive`.
    let api: String
    /// The API's version, such as `v3`.
    let version: String
    /// The complete text from the command line.
    let text: String

    /// The preferred versions of APIs whose preferred version is not `v1`.
    private static let versions = [
        "drive": "v3", "calendar": "v3", "youtube": "v3", "sheets": "v4", "oauth2": "v2", "bigquery": "v2",
        "admin": "directory_v1",
    ]

    init(_ text: String, version: String?) throws {
        let api = String(text.prefix { $0 != "." })
        let version = version ?? Self.versions[api] ?? "v1"
        // Both become part of a URL path and a file name.
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

    /// Returns the named method, or nil if the name refers to an API or a resource.
    func method(in document: DiscoveryDocument) throws -> DiscoveryMethod? {
        let methods = document.root.allMethods
        if let method = methods.first(where: { $0.id == self.text }) { return method }
        // Method names in a document do not always begin with the API's name.
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
