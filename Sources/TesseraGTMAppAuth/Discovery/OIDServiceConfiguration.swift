// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation

/// A provider's endpoints.
///
/// The conformance to `Sendable` is `@unchecked` for the reason given in ``AppAuthValue``. The only stored property is
/// a `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 8414, section 2](https://www.rfc-editor.org/rfc/rfc8414.html#section-2)
open class OIDServiceConfiguration: AppAuthValue, @unchecked Sendable {
    /// The authorization endpoint, which the browser opens.
    public var authorizationEndpoint: URL { self.required("authorizationEndpoint") }
    /// The token endpoint, which exchanges codes and refresh tokens.
    public var tokenEndpoint: URL { self.required("tokenEndpoint") }
    /// The issuer, or nil if it is not known.
    ///
    /// Without an issuer, ID tokens cannot be verified and are rejected. Google's ID tokens are an exception.
    public var issuer: URL? { self["issuer"] }
    /// The registration endpoint (RFC 7591).
    public var registrationEndpoint: URL? { self["registrationEndpoint"] }
    /// The end-session endpoint (OpenID Connect RP-Initiated Logout 1.0).
    public var endSessionEndpoint: URL? { self["endSessionEndpoint"] }
    /// The discovery document, or nil if the app supplied the endpoints itself.
    public var discoveryDocument: OIDServiceDiscovery? { self["discoveryDocument"] }

    private let stored: Contents
    override var contents: Contents { self.stored }

    private init(_ values: [String: (any ArchivedValue)?]) {
        self.stored = Contents(Self.fields, values)
        super.init()
    }

    /// Creates a configuration from endpoints.
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

    /// Creates a configuration from a discovery document.
    public convenience init(discoveryDocument: OIDServiceDiscovery) {
        self.init([
            "authorizationEndpoint": discoveryDocument.authorizationEndpoint,
            "tokenEndpoint": discoveryDocument.tokenEndpoint, "issuer": discoveryDocument.issuer,
            "registrationEndpoint": discoveryDocument.registrationEndpoint,
            "endSessionEndpoint": discoveryDocument.endSessionEndpoint, "discoveryDocument": discoveryDocument,
        ])
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Decodes a configuration, or returns nil if a required endpoint is missing or a value has the wrong type.
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
