// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJSON

/// An object of a document and the way to it.
struct DiscoveryObject {
    private let value: JSONValue
    let path: String

    init(_ value: JSONValue, _ path: String) {
        self.value = value
        self.path = path
    }

    var names: [String] { self.value.members.map { $0.map(\.name) } ?? [] }

    func string(_ name: String) -> String? { self.value[name]?.string }

    func bool(_ name: String) -> Bool { self.value[name]?.bool ?? false }

    func strings(_ name: String) -> [String] { self.value[name]?.elements?.compactMap(\.string) ?? [] }

    func bools(_ name: String) -> [Bool] { self.value[name]?.elements?.map { $0.bool ?? false } ?? [] }

    func object(_ name: String) -> DiscoveryObject? {
        guard let value = self.value[name], value.kind == .object else { return nil }
        return DiscoveryObject(value, self.path.isEmpty ? name : self.path + "." + name)
    }

    /// The members of a member, in the order of their names.
    func objects(_ name: String) -> [(name: String, object: DiscoveryObject)] {
        guard let object = self.object(name) else { return [] }
        return object.names.sorted().compactMap { name in object.object(name).map { (name, $0) } }
    }

    func require(_ name: String) throws(GeneratorError) -> String {
        guard let text = self.string(name) else {
            throw GeneratorError(.document, "\(self.path.isEmpty ? "it" : self.path) has no \(name)")
        }
        return text
    }
}
