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

extension ClientMetadata: Redacted {
    /// Only the names: a software statement is a secret, and a member of somebody else's may be one.
    public var description: String { "client metadata with " + self.members.map(\.name).joined(separator: ", ") }
}

extension ClientMetadata {
    /// `client_name`: what people are shown.
    public var clientName: String? {
        get { self.text("client_name") }
        set { self["client_name"] = newValue.map { .string($0) } }
    }

    /// `client_uri`: a page about the client.
    public var clientURI: String? {
        get { self.text("client_uri") }
        set { self["client_uri"] = newValue.map { .string($0) } }
    }

    /// `logo_uri`: a picture.
    public var logoURI: String? {
        get { self.text("logo_uri") }
        set { self["logo_uri"] = newValue.map { .string($0) } }
    }

    /// `tos_uri`: the terms of service.
    public var tosURI: String? {
        get { self.text("tos_uri") }
        set { self["tos_uri"] = newValue.map { .string($0) } }
    }

    /// `policy_uri`: how the client treats people's data.
    public var policyURI: String? {
        get { self.text("policy_uri") }
        set { self["policy_uri"] = newValue.map { .string($0) } }
    }

    /// `jwks_uri`: where the client's public keys are.
    public var jwksURI: String? {
        get { self.text("jwks_uri") }
        set { self["jwks_uri"] = newValue.map { .string($0) } }
    }

    /// `software_id`: names the software, whatever the instance.
    public var softwareID: String? {
        get { self.text("software_id") }
        set { self["software_id"] = newValue.map { .string($0) } }
    }

    /// `software_version`.
    public var softwareVersion: String? {
        get { self.text("software_version") }
        set { self["software_version"] = newValue.map { .string($0) } }
    }

    /// `software_statement`: claims about the client that somebody else signed; passed on as it is.
    public var softwareStatement: String? {
        get { self.text("software_statement") }
        set { self["software_statement"] = newValue.map { .string($0) } }
    }

    /// `token_endpoint_auth_method`: how the client proves itself, for example `none` or `private_key_jwt`.
    public var tokenEndpointAuthMethod: String? {
        get { self.text("token_endpoint_auth_method") }
        set { self["token_endpoint_auth_method"] = newValue.map { .string($0) } }
    }

    /// `application_type`: `native` or `web` (OpenID Connect Dynamic Client Registration 1.0).
    public var applicationType: String? {
        get { self.text("application_type") }
        set { self["application_type"] = newValue.map { .string($0) } }
    }

    /// `id_token_signed_response_alg`: how ID tokens are to be signed.
    public var idTokenSignedResponseAlg: String? {
        get { self.text("id_token_signed_response_alg") }
        set { self["id_token_signed_response_alg"] = newValue.map { .string($0) } }
    }

    /// `userinfo_signed_response_alg`: how user information is to be signed; plain without it.
    public var userinfoSignedResponseAlg: String? {
        get { self.text("userinfo_signed_response_alg") }
        set { self["userinfo_signed_response_alg"] = newValue.map { .string($0) } }
    }

    /// `backchannel_logout_uri`: where logout tokens are sent.
    public var backchannelLogoutURI: String? {
        get { self.text("backchannel_logout_uri") }
        set { self["backchannel_logout_uri"] = newValue.map { .string($0) } }
    }

    /// `redirect_uris`.
    public var redirectURIs: [String]? {
        get { self.texts("redirect_uris") }
        set { self["redirect_uris"] = newValue.map { .array($0.map { .string($0) }) } }
    }

    /// `grant_types`; the server takes `authorization_code` without it.
    public var grantTypes: [String]? {
        get { self.texts("grant_types") }
        set { self["grant_types"] = newValue.map { .array($0.map { .string($0) }) } }
    }

    /// `response_types`.
    public var responseTypes: [String]? {
        get { self.texts("response_types") }
        set { self["response_types"] = newValue.map { .array($0.map { .string($0) }) } }
    }

    /// `contacts`: ways to reach the people who are responsible.
    public var contacts: [String]? {
        get { self.texts("contacts") }
        set { self["contacts"] = newValue.map { .array($0.map { .string($0) }) } }
    }

    /// `post_logout_redirect_uris`: where people may come back to after a sign-out.
    public var postLogoutRedirectURIs: [String]? {
        get { self.texts("post_logout_redirect_uris") }
        set { self["post_logout_redirect_uris"] = newValue.map { .array($0.map { .string($0) }) } }
    }

    /// `scope`: what the client may ask for.
    public var scopes: [Scope]? {
        get { self.text("scope").map(ScopeList.scopes) }
        set { self["scope"] = newValue.map { .string($0.map(\.rawValue).joined(separator: " ")) } }
    }

    /// `jwks`: the client's public keys themselves, in place of ``jwksURI``.
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
