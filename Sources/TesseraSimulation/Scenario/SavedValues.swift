// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The values with an expiration time that programs have saved in archives.
struct SavedValues: Sendable {
    /// A value, which any process may take once.
    struct Value: Sendable {
        let archive: String
        let number: Int
        let content: [UInt8]
        let end: Date
        var isSaved = false
        /// The number of times that a process has tried to take the value.
        var takes = 0
        var timesTaken = 0

        var name: String { "value \(self.number)" }
    }

    private var values: [Value] = []

    subscript(value: Value) -> Value { self.values[value.number] }

    /// Adds a value that expires after two minutes at most.
    mutating func add(to archive: String, at now: Date, _ random: inout SeededGenerator) -> Value {
        let content = (0..<20).map { _ in UInt8(random.below(256)) }
        let end = now.addingTimeInterval(Double(1 + random.below(120)))
        self.values.append(Value(archive: archive, number: self.values.count, content: content, end: end))
        return self.values[self.values.count - 1]
    }

    mutating func change(_ value: Value, _ body: (inout Value) -> Void) { body(&self.values[value.number]) }

    /// Returns any value of an archive.
    func any(in archive: String, _ random: inout SeededGenerator) -> Value? {
        let values = self.values.filter { $0.archive == archive }
        return values.isEmpty ? nil : values[random.below(values.count)]
    }
}
