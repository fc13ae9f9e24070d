// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraSupport

/// The names and values by which an item is found; anybody who reads the keyring's list sees them.
struct SecretServiceAttributes: Sendable {
    private let pairs: [(name: String, value: String)]

    /// Items of a kind, and of an account where there is one.
    ///
    /// - Throws: `system` for a zero byte, which no attribute can hold.
    init(schema: String, _ pairs: [(name: String, value: String)] = []) throws(StoreError) {
        self.pairs = [("xdg:schema", schema)] + pairs
        if self.pairs.contains(where: { $0.value.utf8.contains(0) }) {
            throw StoreError(
                .system,
                place: SecretService.place,
                detail: "an account whose name holds a zero byte cannot be kept there"
            )
        }
    }

    /// Name, value, name, value, …, nil: for as long as `body` runs.
    func withCStrings<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result) -> Result {
        Self.withCStrings(self.pairs.flatMap { [$0.name, $0.value] }, body)
    }

    static func withCStrings<Result>(
        _ strings: [String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { $0.map { UnsafePointer($0) } } + [nil]
        return body(pointers)
    }
}
