// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Testing

@Suite("README examples")
struct ReadmeTests {
    @Test("The README contains the compiled examples line by line")
    func example() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        let example = try String(contentsOf: folder.appending(path: "ReadmeExample.swift"), encoding: .utf8)
        let readme = try String(contentsOf: folder.appending(path: "../../README.md"), encoding: .utf8)
        let lines = example.split(separator: "\n").filter { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }
        #expect(lines.count >= 10)
        for line in lines { #expect(readme.contains("\n\(line)\n"), "\(line)") }
        for line in example.split(separator: "\n") where line.hasPrefix("internal import ") {
            #expect(readme.contains("\n\(line.dropFirst("internal ".count))\n"), "\(line)")
        }
    }
}
