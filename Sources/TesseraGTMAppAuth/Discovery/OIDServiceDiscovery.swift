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

    /// Always true.
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

    /// Writes every member.
    override open func encode(with coder: NSCoder) {
        coder.encode(self.document.members.archived, forKey: "discoveryDictionary")
    }

    /// Every member of the document, by name: texts, numbers, truth values, lists and dictionaries.
    public var discoveryDictionary: [String: Any] { self.document.members.dictionary }

    override var facts: [(name: String, text: String?)] { [("issuer", self.issuer.host())] }
}
