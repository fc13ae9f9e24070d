// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraJSON

/// One thing that is asked for in more detail than a scope can tell: an element of `authorization_details`.
///
/// - SeeAlso: [RFC 9396, section 2](https://www.rfc-editor.org/rfc/rfc9396.html#section-2)
public struct AuthorizationDetail: Sendable, Hashable {
    /// `type`: what kind of thing; it says which members there are.
    public var type: String
    /// The members beside `type`, each once.
    public var members: [JSONMember]

    /// A detail; it is checked when the request is built.
    public init(type: String, members: [JSONMember] = []) {
        self.type = type
        self.members = members
    }

    /// The parameter's value; nil where there are no details.
    static func parameter(_ details: [AuthorizationDetail]) throws(InvalidRequestError) -> String? {
        guard !details.isEmpty else { return nil }
        for detail in details {
            let names = ["type"] + detail.members.map(\.name)
            guard !detail.type.isEmpty, Set(names).count == names.count else {
                throw InvalidRequestError("authorization_details", reason: "each has a type, and each member once")
            }
        }
        return
            JSONNode.array(
                details.map { .object([JSONMember(name: "type", value: .string($0.type))] + $0.members) }
            )
            .text()
    }
}
