// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension DiscoveryMethod {
    /// What asks for a page of a list: a parameter, or a member of the body.
    package struct PageToken: Sendable {
        package let name: String
        package let isInBody: Bool
    }

    private static let pageTokens = ["pageToken", "nextPageToken", "page_token"]

    /// What asks for a page, where the answer names a next one and something can ask for it.
    package func pageToken(in document: DiscoveryDocument) -> PageToken? {
        guard document.properties(of: self.response).contains(where: { $0.name == "nextPageToken" }) else { return nil }
        if let parameter = self.parameters.first(where: { Self.pageTokens.contains($0.name) }) {
            return PageToken(name: parameter.name, isInBody: false)
        }
        let member = document.properties(of: self.request).first { Self.pageTokens.contains($0.name) }
        return member.map { PageToken(name: $0.name, isInBody: true) }
    }
}

extension DiscoveryDocument {
    /// The properties of the object that a schema names; none for anything else.
    func properties(of schema: DiscoverySchema?) -> [DiscoverySchema.Property] {
        guard case .reference(let name)? = schema?.kind, case .object(let properties)? = self.schemas[name]?.kind else {
            return []
        }
        return properties
    }
}
