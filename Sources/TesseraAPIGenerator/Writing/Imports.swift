// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What a file of generated code has to import.
enum Imports {
    static func of(_ code: String) -> [String] {
        guard code.contains(": Data?") || code.contains("[Data]") || code.contains(": Data]") else {
            return ["public import TesseraGoogleAPI"]
        }
        return [
            "#if canImport(FoundationEssentials)", "public import FoundationEssentials", "#else",
            "public import Foundation", "#endif", "public import TesseraGoogleAPI",
        ]
    }
}
