// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// What an OpenID provider says about itself.
///
/// A document that lacks a member which OpenID Connect demands, or has a known member of another type, is refused.
///
/// `@unchecked`, as ``AppAuthValue`` says: the one property is a `let` of a `Sendable` type.
///
/// - SeeAlso: [OpenID Connect Discovery 1.0, section 3](https://openid.net/specs/openid-connect-discovery-1_0.html#ProviderMetadata)
open class OIDServiceDiscovery: AppAuthValue, @unchecked Sendable {
    let document: DiscoveryDocument

    private init(_ document: DiscoveryDocument) {
        self.document = document
        super.init()
    }

    /// Reads a document's text.
    ///
    /// - Throws: an `NSError` of ``OIDGeneralErrorDomain``: `jsonDeserializationError` for what is no JSON or names a
    ///   member twice, `invalidDiscoveryDocument` for what is no such document.
    public convenience init(json: String) throws {
        self.init(try DiscoveryDocument(parsing: Array(json.utf8)))
    }

    /// Reads a document's bytes.
    ///
    /// - Throws: as ``init(json:)``.
    public convenience init(jsonData: Data) throws {
        self.init(try DiscoveryDocument(parsing: Array(jsonData)))
    }

    /// Takes the members of a document.
    ///
    /// - Throws: an `NSError` of ``OIDGeneralErrorDomain`` with `invalidDiscoveryDocument`.
    public convenience init(dictionary: [AnyHashable: Any]) throws {
        self.init(try DiscoveryDocument(JSONParameters(dictionary)))
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive, also one as the first versions of AppAuth wrote it; nil for a document that is refused.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        let members = archive.parameters("discoveryDictionary") ?? Self.firstForm(coder)
        guard archive.isWhole, let members, let document = try? DiscoveryDocument(members) else { return nil }
        self.document = document
        super.init(coder: coder)
    }

    /// The first versions wrote what a dictionary writes, in place of a dictionary.
    private static func firstForm(_ coder: NSCoder) -> JSONParameters? {
        guard coder.containsValue(forKey: "NS.keys") else { return nil }
        return NSDictionary(coder: coder).map { JSONParameters($0) }
    }

    override open func encode(with coder: NSCoder) {
        coder.encode(self.document.members.archived, forKey: "discoveryDictionary")
    }

    /// Every member of the document, by name: texts, numbers, truth values, lists and dictionaries.
    public var discoveryDictionary: [String: Any] { self.document.members.dictionary }

    override var facts: [(name: String, text: String?)] { [("issuer", self.issuer.host())] }
}

extension OIDServiceDiscovery {
    /// `issuer`: the provider's name for itself.
    public var issuer: URL { self.document.issuer }
    /// `authorization_endpoint`.
    public var authorizationEndpoint: URL { self.document.authorizationEndpoint }
    /// `device_authorization_endpoint` (RFC 8628).
    public var deviceAuthorizationEndpoint: URL? { self.url("device_authorization_endpoint") }
    /// `token_endpoint`.
    public var tokenEndpoint: URL { self.document.tokenEndpoint }
    /// `userinfo_endpoint`.
    public var userinfoEndpoint: URL? { self.url("userinfo_endpoint") }
    /// `jwks_uri`: where the keys are that sign ID tokens.
    public var jwksURL: URL { self.document.jwksURL }
    /// `registration_endpoint` (RFC 7591).
    public var registrationEndpoint: URL? { self.url("registration_endpoint") }
    /// `end_session_endpoint` (OpenID Connect RP-Initiated Logout 1.0).
    public var endSessionEndpoint: URL? { self.url("end_session_endpoint") }
    /// `service_documentation`: a page for developers.
    public var serviceDocumentation: URL? { self.url("service_documentation") }
    /// `op_policy_uri`: what the provider lets clients do with people's data.
    public var opPolicyURI: URL? { self.url("op_policy_uri") }
    /// `op_tos_uri`: the terms of service.
    public var opTosURI: URL? { self.url("op_tos_uri") }

    /// A URL of the document; nil where it is missing, or a text that is no absolute URL.
    private func url(_ name: String) -> URL? { self.document.members.url(name) }
}
