// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if CommandLine
internal import TesseraAPIGenerator

/// How a method's answer comes in pages, where it does.
struct MethodPaging {
    /// What asks for a page: a parameter, or a member of the body.
    let name: String
    let isInBody: Bool
    /// The member of an answer that names the next page.
    static let next = "nextPageToken"

    private static let names = ["pageToken", "nextPageToken", "page_token"]

    init?(_ method: DiscoveryMethod, _ document: DiscoveryDocument) {
        guard Self.members(of: method.response, document).contains(Self.next) else { return nil }
        if let parameter = method.parameters.first(where: { Self.names.contains($0.name) }) {
            self.name = parameter.name
            self.isInBody = false
        } else if let member = Self.members(of: method.request, document).first(where: Self.names.contains) {
            self.name = member
            self.isInBody = true
        } else {
            return nil
        }
    }

    private static func members(of schema: DiscoverySchema?, _ document: DiscoveryDocument) -> [String] {
        guard case .reference(let name)? = schema?.kind, case .object(let properties)? = document.schemas[name]?.kind
        else { return [] }
        return properties.map(\.name)
    }
}
#endif
