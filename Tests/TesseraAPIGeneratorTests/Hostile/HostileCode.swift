// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAPIGenerator

/// The code that the generator creates for a hostile document, including its tests.
struct HostileCode {
    /// The files by their paths.
    let files: [String: String]

    /// Generates code with full documentation for the document with other texts in some fields.
    init(_ texts: [String: String] = [:]) throws {
        let options = GeneratorOptions(documentation: .full)
        let generator = try APIGenerator(
            DiscoveryDocument(parsing: HostileDocument.bytes(texts)),
            options: options
        )
        let files = generator.files() + generator.testFiles()
        self.files = Dictionary(files.map { ($0.path, $0.text) }) { first, _ in first + "\nTwo files have one path." }
    }

    /// Returns the faults of the generated files.
    ///
    /// - Parameters:
    ///   - usual: The code of the same document with its usual texts.
    ///   - hasSameNames: Whether only literals and comments may differ.
    /// - Returns: The path and a description of each fault.
    func faults(comparedTo usual: HostileCode, hasSameNames: Bool) -> [(path: String, fault: String)] {
        var faults: [(path: String, fault: String)] = []
        for (path, text) in self.files where text != usual.files[path] {
            let skeleton = SwiftSkeleton(text)
            faults += skeleton.faults.map { (path, $0) }
            if skeleton.code.contains("pwned()") { faults.append((path, "the marker is executable code")) }
            if hasSameNames, usual.files[path].map({ SwiftSkeleton($0).lines }) != skeleton.lines {
                faults.append((path, "the code differs"))
            }
            if !Self.isInside(path) { faults.append((path, "the path is outside of the module's folder")) }
        }
        return faults
    }

    /// Returns whether a path is in the module's folder or in one of its subfolders.
    static func isInside(_ path: String) -> Bool {
        let steps = path.split(separator: "/", omittingEmptySubsequences: false)
        guard let name = steps.last, steps.count <= 2, path.hasSuffix(".swift") else { return false }
        return (steps.count == 1 || ["Schemas", "Resources"].contains(steps[0]))
            && name.utf8.count <= 255 && name.first != "."
            && name.utf8.allSatisfy { byte in
                0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || "._".utf8.contains(byte)
            }
    }
}
