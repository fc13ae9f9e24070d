// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// One thing that a provider can do or cannot, and what comes of it here.
struct ProviderCapability: Sendable {
    let name: String
    /// Whether the provider says that it can; nil where it does not say.
    let isOffered: Bool?
    /// The values that it lists.
    let values: [String]
    /// What this command does with it.
    let use: String

    /// A capability that is there or is not.
    init(_ name: String, _ isOffered: Bool, use: String, otherwise: String = "–") {
        self.init(name, isOffered, [], use: isOffered ? use : otherwise)
    }

    /// A capability with a list of values.
    init(_ name: String, _ isOffered: Bool?, _ values: [String], use: String) {
        self.name = name
        self.isOffered = isOffered
        self.values = values
        self.use = use
    }

    /// `yes: ES256, RS256`, `no`, `not said`.
    var offer: String {
        guard let isOffered else { return "not said" }
        let word = isOffered ? "yes" : "no"
        return self.values.isEmpty ? word : "\(word): \(ProviderReport.list(self.values))"
    }

    var json: JSONNode {
        [
            "name": .string(self.name), "offered": self.isOffered.map { .bool($0) } ?? .null,
            "values": .array(self.values.map { .string($0) }), "use": .string(self.use),
        ]
    }
}
