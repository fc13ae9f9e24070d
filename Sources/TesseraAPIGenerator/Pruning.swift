// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Selects the methods and schemas to generate.
struct Pruning {
    private let document: DiscoveryDocument
    private let included: [String]

    init(_ document: DiscoveryDocument, _ included: [String]) {
        self.document = document
        self.included = included
    }

    func methods() throws -> DiscoveryResource {
        guard !self.included.isEmpty else { return self.document.root }
        let methods = self.document.root.allMethods
        for pattern in self.included where !methods.contains(where: { self.fits($0.id, pattern) }) {
            throw GeneratorError(.missing, "method \(GeneratorError.printable(pattern))")
        }
        var empty = self.document.root
        (empty.methods, empty.resources) = ([], [])
        return self.document.root.pruned { method in self.included.contains { self.fits(method.id, $0) } } ?? empty
    }

    /// Returns the names of the schemas that the methods require directly or indirectly, or of all schemas if no
    /// methods were selected.
    func schemas(of root: DiscoveryResource) throws -> [String] {
        var wanted = Set<String>()
        if self.included.isEmpty {
            wanted = Set(self.document.schemas.keys)
        } else {
            for method in root.allMethods {
                wanted.formUnion(method.request?.references ?? [])
                wanted.formUnion(method.response?.references ?? [])
            }
        }
        var (reached, pending) = (Set<String>(), Array(wanted))
        while let name = pending.popLast() {
            guard reached.insert(name).inserted else { continue }
            guard let schema = self.document.schemas[name] else { throw GeneratorError(.missing, "schema \(name)") }
            pending += schema.references
        }
        return reached.sorted()
    }

    private func fits(_ id: String, _ pattern: String) -> Bool {
        [pattern, self.document.name + "." + pattern]
            .contains { pattern in
                pattern.hasSuffix("*") ? id.hasPrefix(String(pattern.dropLast())) : id == pattern
            }
    }
}
