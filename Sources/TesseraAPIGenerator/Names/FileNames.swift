// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Gives each file of a module a path that no other file has, also where a file system ignores case.
struct FileNames {
    /// File systems allow 255 bytes for a name.
    private static let maximumLength = 200
    private var taken = Set<String>()

    /// The file with its own path, or with a number in it if another file has the path already.
    mutating func take(_ file: GeneratedFile) -> GeneratedFile {
        let parts = file.path.split(separator: "/")
        let folder = parts.dropLast().map { $0 + "/" }.joined()
        let name = (parts.last?.dropLast(".swift".count) ?? "").prefix(Self.maximumLength)
        var (path, number) = (folder + name + ".swift", 2)
        while !self.taken.insert(path.lowercased()).inserted {
            path = folder + name + "_\(number).swift"
            number += 1
        }
        return GeneratedFile(path: path, text: file.text)
    }
}
