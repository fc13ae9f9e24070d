// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Methods that belong together, and what is below them.
package struct DiscoveryResource: Sendable {
    package let name: String
    package var methods: [DiscoveryMethod]
    package var resources: [DiscoveryResource]

    init(_ name: String, _ object: DiscoveryObject, _ keys: inout UnknownKeys) throws(GeneratorError) {
        self.name = name
        if !name.isEmpty { keys.check(object, DiscoveryKeys.resource) }
        var methods: [DiscoveryMethod] = []
        for (name, method) in try object.objects("methods", .name) {
            methods.append(try DiscoveryMethod(name, method, &keys))
        }
        self.methods = methods
        var resources: [DiscoveryResource] = []
        for (name, resource) in try object.objects("resources", .name) {
            resources.append(try DiscoveryResource(name, resource, &keys))
        }
        self.resources = resources
    }

    /// Every method here and below.
    package var allMethods: [DiscoveryMethod] { self.methods + self.resources.flatMap(\.allMethods) }

    /// What is left when only some methods stay; nil for nothing.
    func pruned(to isKept: (DiscoveryMethod) -> Bool) -> DiscoveryResource? {
        var resource = self
        resource.methods = self.methods.filter(isKept)
        resource.resources = self.resources.compactMap { $0.pruned(to: isKept) }
        return resource.methods.isEmpty && resource.resources.isEmpty ? nil : resource
    }
}
