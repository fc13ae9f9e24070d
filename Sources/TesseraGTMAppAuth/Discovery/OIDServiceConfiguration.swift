// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// Where a provider's endpoints are.
///
/// `@unchecked`, as ``AppAuthValue`` says: there is one `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 8414, section 2](https://www.rfc-editor.org/rfc/rfc8414.html#section-2)
open class OIDServiceConfiguration: AppAuthValue, @unchecked Sendable {
    /// The authorization endpoint.
    public var authorizationEndpoint: URL { self.required("authorizationEndpoint") }
    /// Where codes and refresh tokens are exchanged.
    public var tokenEndpoint: URL { self.required("tokenEndpoint") }
    /// The provider's name for itself; nil where it is not known, and then no ID token can be accepted.
    public var issuer: URL? { self["issuer"] }
    /// Where clients are registered; nil where there is no such place (RFC 7591).
    public var registrationEndpoint: URL? { self["registrationEndpoint"] }
    /// Where the user is signed out; nil where there is no such place (OpenID Connect RP-Initiated Logout 1.0).
    public var endSessionEndpoint: URL? { self["endSessionEndpoint"] }
    /// The document that the endpoints were read from; nil where they were given one by one.
    public var discoveryDocument: OIDServiceDiscovery? { self["discoveryDocument"] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    private init(_ values: [String: (any ArchivedValue)?]) {
        self.stored = Contents(Self.fields, values)
        super.init()
    }

    /// A provider of which the two endpoints of the code flow are known, and whatever else is.
    public convenience init(
        authorizationEndpoint: URL,
        tokenEndpoint: URL,
        issuer: URL? = nil,
        registrationEndpoint: URL? = nil,
        endSessionEndpoint: URL? = nil
    ) {
        self.init([
            "authorizationEndpoint": authorizationEndpoint, "tokenEndpoint": tokenEndpoint, "issuer": issuer,
            "registrationEndpoint": registrationEndpoint, "endSessionEndpoint": endSessionEndpoint,
        ])
    }

    /// A provider as its discovery document says it is.
    public convenience init(discoveryDocument: OIDServiceDiscovery) {
        self.init([
            "authorizationEndpoint": discoveryDocument.authorizationEndpoint,
            "tokenEndpoint": discoveryDocument.tokenEndpoint, "issuer": discoveryDocument.issuer,
            "registrationEndpoint": discoveryDocument.registrationEndpoint,
            "endSessionEndpoint": discoveryDocument.endSessionEndpoint, "discoveryDocument": discoveryDocument,
        ])
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil if one of the two endpoints is missing or anything is of the wrong type.
    public required init?(coder: NSCoder) {
        guard let contents = Contents(coder, Self.fields) else { return nil }
        self.stored = contents
        super.init(coder: coder)
    }

    private static let fields = Field.list(
        required: ["authorizationEndpoint": URL.self, "tokenEndpoint": URL.self],
        optional: [
            "issuer": URL.self, "registrationEndpoint": URL.self, "endSessionEndpoint": URL.self,
            "discoveryDocument": OIDServiceDiscovery.self,
        ]
    )

    override var facts: [(name: String, text: String?)] { [("server", self.tokenEndpoint.host())] }
}
