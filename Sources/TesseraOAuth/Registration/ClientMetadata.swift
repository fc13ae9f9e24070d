// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraJSON

/// What a client says about itself when it registers, and what the server made of it.
///
/// The members of RFC 7591 have properties; every member, those too, can be read and set by its name.
///
/// - SeeAlso: [RFC 7591, section 2](https://www.rfc-editor.org/rfc/rfc7591.html#section-2)
public struct ClientMetadata: Sendable, Hashable {
    /// The members in the order in which they are sent; the values of known ones have the right type.
    public private(set) var members: [JSONMember]

    /// A native client that signs people in by code, unless other members are set.
    public init(clientName: String? = nil, redirectURIs: [RedirectURI] = []) {
        self.members = []
        self.clientName = clientName
        if !redirectURIs.isEmpty { self.redirectURIs = redirectURIs.map(\.uri) }
    }

    /// The value of a member; nil where there is none, and to take it away.
    public subscript(_ name: String) -> JSONNode? {
        get { self.members.first { $0.name == name }?.value }
        set {
            let place = self.members.firstIndex { $0.name == name }
            switch (place, newValue) {
            case (let place?, let value?): self.members[place].value = value
            case (let place?, nil): self.members.remove(at: place)
            case (nil, let value?): self.members.append(JSONMember(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Reads the members of a registration; those that belong to the registration itself are left out.
    init(_ fields: JSONFields) throws(ProtocolViolationError) {
        self.members = []
        for (name, value) in fields.members where !value.isNull {
            if Self.registrationMembers.contains(name) { continue }
            if name == "scope" { _ = try fields.scopes(name) }
            let node: JSONNode? =
                if Self.texts.contains(name) {
                    try fields.string(name).map { .string($0) }
                } else if Self.lists.contains(name) {
                    try fields.strings(name).map { .array($0.map { .string($0) }) }
                } else {
                    .parsed(value)
                }
            // No name is there twice, so none is searched for: a server can send 100,000 members.
            if let node { self.members.append(JSONMember(name: name, value: node)) }
        }
    }

    /// What a registration has beside its metadata.
    static let registrationMembers: Set<String> = [
        "client_id", "client_secret", "client_id_issued_at", "client_secret_expires_at", "registration_access_token",
        "registration_client_uri",
    ]

    private static let texts: Set<String> = [
        "client_name", "client_uri", "logo_uri", "scope", "tos_uri", "policy_uri", "jwks_uri", "software_id",
        "software_version", "software_statement", "token_endpoint_auth_method", "application_type",
        "id_token_signed_response_alg", "userinfo_signed_response_alg", "backchannel_logout_uri",
    ]

    private static let lists: Set<String> = [
        "redirect_uris", "grant_types", "response_types", "contacts", "post_logout_redirect_uris",
    ]
}

extension ClientMetadata: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Only the names: a software statement is a secret, and a member of somebody else's may be one.
    public var description: String { "client metadata with " + self.members.map(\.name).joined(separator: ", ") }
    /// Only the names.
    public var debugDescription: String { self.description }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [] as [Mirror.Child]) }
}
