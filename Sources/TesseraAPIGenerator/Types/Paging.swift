// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// How a method's response is divided into pages.
struct Paging {
    /// The type of a page's items, and the expression that extracts them from `page`.
    struct Items {
        let type: String
        let expression: String
    }

    /// The source code for the `APIPaging` value.
    let text: String
    /// The items of a page, or nil if the response has several lists and it is unclear which one contains the items.
    let items: Items?

    init?(_ generator: APIGenerator, _ method: DiscoveryMethod, resource: String) {
        guard let token = method.pageToken(in: generator.document), case .reference(let name)? = method.response?.kind
        else { return nil }
        switch (token.name, token.isInBody) {
        case ("pageToken", false): self.text = "APIPaging()"
        case (let name, false): self.text = "APIPaging(\(SwiftLiteral.quoted(name)))"
        case (let name, true): self.text = "APIPaging(\(SwiftLiteral.quoted(name)), isInBody: true)"
        }
        let properties = generator.document.properties(of: method.response)
        self.items = Self.items(generator, generator.schemaNames[name] ?? name, properties, resource)
    }

    /// Returns the list named `items`, the only list of objects, the list named after the resource, or the only list.
    private static func items(
        _ generator: APIGenerator,
        _ schema: String,
        _ properties: [DiscoverySchema.Property],
        _ resource: String
    ) -> Items? {
        var scope = TypeScope(generator, "\(generator.namespace).\(schema)")
        var names = UniqueNames()
        var lists: [(name: String, member: String, element: String, isObject: Bool, isMap: Bool)] = []
        for property in properties {
            let member = names.take(SwiftName.member(property.name, of: .object), for: property.name)
            let type = scope.type(of: property.schema, named: property.name)
            switch property.schema.kind {
            case .list(let element):
                guard !["unreachable", "warnings"].contains(property.name) else { continue }
                let isObject = if case .scalar = element.kind { false } else { true }
                lists.append((property.name, member, String(type.text.dropFirst().dropLast()), isObject, false))
            case .map where property.name == "items":
                let value = type.text.dropFirst("[String: ".count).dropLast()
                lists.append((property.name, member, String(value), true, true))
            default: continue
            }
        }
        let objects = lists.filter(\.isObject)
        let chosen =
            lists.first { $0.name == "items" } ?? (objects.count == 1 ? objects.first : nil)
            ?? objects.first { $0.name == resource } ?? (lists.count == 1 ? lists.first : nil)
        guard let chosen else { return nil }
        let nested = Set(scope.nested.map(\.name))
        let element = generator.qualified(chosen.element, in: "\(generator.namespace).\(schema)", nested: nested)
        let member = SwiftName.used(chosen.member)
        guard chosen.isMap else { return Items(type: element, expression: "page.\(member) ?? []") }
        return Items(
            type: "(key: String, value: \(element))",
            expression: "(page.\(member) ?? [:]).sorted { $0.key < $1.key }"
        )
    }
}

extension APIGenerator {
    /// Returns the name of a type for use outside the type that declares it.
    func qualified(_ text: String, in parent: String, nested: Set<String>) -> String {
        let name = text.filter { !"[]".contains($0) }.replacing("String: ", with: "")
        guard nested.contains(name) else { return text }
        return text.replacing(name, with: "\(parent).\(name)")
    }
}
