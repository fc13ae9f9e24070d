// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraJSON

/// A client's metadata, as requested by the client or as registered by the server.
///
/// The members that RFC 7591 defines have properties. You can read and set any member by name.
///
/// - SeeAlso: [RFC 7591, section 2](https://www.rfc-editor.org/rfc/rfc7591.html#section-2)
public struct ClientMetadata: Sendable, Hashable {
    /// The members in the order in which they are sent.
    ///
    /// Known members have values of the correct type.
    public private(set) var members: [JSONMember]

    /// Creates metadata for a native client that uses authorization codes, unless you set other members.
    public init(clientName: String? = nil, redirectURIs: [RedirectURI] = []) {
        self.members = []
        self.clientName = clientName
        if !redirectURIs.isEmpty { self.redirectURIs = redirectURIs.map(\.uri) }
    }

    /// The value of a member, or nil if it is missing.
    ///
    /// Assign nil to remove the member.
    public subscript(_ name: String) -> JSONNode? {
        get { self.members.first { $0.name == name }?.value }
        set {
            let location = self.members.firstIndex { $0.name == name }
            switch (location, newValue) {
            case (let location?, let value?): self.members[location].value = value
            case (let location?, nil): self.members.remove(at: location)
            case (nil, let value?): self.members.append(JSONMember(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// Reads the metadata from a registration, omitting members that belong to the registration itself.
    init(_ fields: JSONFields) throws {
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
            // Names are unique in parsed JSON. Searching for each name would be slow, because a server can send
            // 100,000.
            if let node { self.members.append(JSONMember(name: name, value: node)) }
        }
    }

    /// The names of registration members that are not metadata.
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

extension ClientMetadata: Redacted {
    /// A description that contains only the names of the members, because a software statement or an unknown member may
    /// be secret.
    public var description: String {
        let names = self.members.map(\.name).joined(separator: ", ")
        return "client metadata with \(UntrustedText.printable(names, limit: 1_000))"
    }
}

extension ClientMetadata {
    /// The name to show to users (`client_name`).
    public var clientName: String? {
        get { self.text("client_name") }
        set { self["client_name"] = newValue.map { .string($0) } }
    }

    /// The URL of a page about the client (`client_uri`).
    public var clientURI: String? {
        get { self.text("client_uri") }
        set { self["client_uri"] = newValue.map { .string($0) } }
    }

    /// The URL of the logo (`logo_uri`).
    public var logoURI: String? {
        get { self.text("logo_uri") }
        set { self["logo_uri"] = newValue.map { .string($0) } }
    }

    /// The URL of the terms of service (`tos_uri`).
    public var tosURI: String? {
        get { self.text("tos_uri") }
        set { self["tos_uri"] = newValue.map { .string($0) } }
    }

    /// The URL of the privacy policy (`policy_uri`).
    public var policyURI: String? {
        get { self.text("policy_uri") }
        set { self["policy_uri"] = newValue.map { .string($0) } }
    }

    /// The URL of the client's public keys (`jwks_uri`).
    public var jwksURI: String? {
        get { self.text("jwks_uri") }
        set { self["jwks_uri"] = newValue.map { .string($0) } }
    }

    /// The identifier of the software, which is the same for all instances (`software_id`).
    public var softwareID: String? {
        get { self.text("software_id") }
        set { self["software_id"] = newValue.map { .string($0) } }
    }

    /// The version of the software (`software_version`).
    public var softwareVersion: String? {
        get { self.text("software_version") }
        set { self["software_version"] = newValue.map { .string($0) } }
    }

    /// Claims about the client that a third party signed (`software_statement`), which are sent unchanged.
    public var softwareStatement: String? {
        get { self.text("software_statement") }
        set { self["software_statement"] = newValue.map { .string($0) } }
    }

    /// The client's authentication method (`token_endpoint_auth_method`), for example `none` or `private_key_jwt`.
    public var tokenEndpointAuthMethod: String? {
        get { self.text("token_endpoint_auth_method") }
        set { self["token_endpoint_auth_method"] = newValue.map { .string($0) } }
    }

    /// The type of the application, `native` or `web` (`application_type`, OpenID Connect Dynamic Client Registration
    /// 1.0).
    public var applicationType: String? {
        get { self.text("application_type") }
        set { self["application_type"] = newValue.map { .string($0) } }
    }

    /// The signature algorithm for ID tokens (`id_token_signed_response_alg`).
    public var idTokenSignedResponseAlg: String? {
        get { self.text("id_token_signed_response_alg") }
        set { self["id_token_signed_response_alg"] = newValue.map { .string($0) } }
    }

    /// The signature algorithm for userinfo responses (`userinfo_signed_response_alg`), or nil for unsigned responses.
    public var userinfoSignedResponseAlg: String? {
        get { self.text("userinfo_signed_response_alg") }
        set { self["userinfo_signed_response_alg"] = newValue.map { .string($0) } }
    }

    /// The URL to which the server sends logout tokens (`backchannel_logout_uri`).
    public var backchannelLogoutURI: String? {
        get { self.text("backchannel_logout_uri") }
        set { self["backchannel_logout_uri"] = newValue.map { .string($0) } }
    }

    /// The redirect URIs (`redirect_uris`).
    public var redirectURIs: [String]? {
        get { self.texts("redirect_uris") }
        set { self["redirect_uris"] = newValue.map { .array($0.map { .string($0) }) } }
    }

    /// The grant types (`grant_types`), where nil means `authorization_code`.
    public var grantTypes: [String]? {
        get { self.texts("grant_types") }
        set { self["grant_types"] = newValue.map { .array($0.map { .string($0) }) } }
    }

    /// The response types (`response_types`).
    public var responseTypes: [String]? {
        get { self.texts("response_types") }
        set { self["response_types"] = newValue.map { .array($0.map { .string($0) }) } }
    }

    /// Contact information for the people responsible for the client, such as email addresses (`contacts`).
    public var contacts: [String]? {
        get { self.texts("contacts") }
        set { self["contacts"] = newValue.map { .array($0.map { .string($0) }) } }
    }

    /// The URIs to which users can return after signing out (`post_logout_redirect_uris`).
    public var postLogoutRedirectURIs: [String]? {
        get { self.texts("post_logout_redirect_uris") }
        set { self["post_logout_redirect_uris"] = newValue.map { .array($0.map { .string($0) }) } }
    }

    /// The scopes that the client can request (`scope`).
    public var scopes: [Scope]? {
        get { self.text("scope").map(ScopeList.scopes) }
        set { self["scope"] = newValue.map { .string($0.map(\.rawValue).joined(separator: " ")) } }
    }

    /// The client's public keys (`jwks`), as an alternative to ``jwksURI``.
    public var jwks: JSONNode? {
        get { self["jwks"] }
        set { self["jwks"] = newValue }
    }

    private func text(_ name: String) -> String? {
        guard case .string(let text) = self[name] else { return nil }
        return text
    }

    private func texts(_ name: String) -> [String]? {
        guard case .array(let elements) = self[name] else { return nil }
        return elements.compactMap { element in
            guard case .string(let text) = element else { return nil }
            return text
        }
    }
}
