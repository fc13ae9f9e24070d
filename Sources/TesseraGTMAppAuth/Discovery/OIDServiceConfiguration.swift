// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
internal import TesseraGoogle
internal import TesseraOAuth

/// Where a provider's endpoints are.
///
/// `@unchecked`, as ``AppAuthValue`` says: each property is a `let` of a `Sendable` type.
///
/// - SeeAlso: [RFC 8414, section 2](https://www.rfc-editor.org/rfc/rfc8414.html#section-2)
open class OIDServiceConfiguration: AppAuthValue, @unchecked Sendable {
    /// Where the person is asked.
    public let authorizationEndpoint: URL
    /// Where codes and refresh tokens are exchanged.
    public let tokenEndpoint: URL
    /// The provider's name for itself; nil where it is not known, and then no ID token can be accepted.
    public let issuer: URL?
    /// Where clients are registered; nil where there is no such place (RFC 7591).
    public let registrationEndpoint: URL?
    /// Where the person is signed out; nil where there is no such place (OpenID Connect RP-Initiated Logout 1.0).
    public let endSessionEndpoint: URL?
    /// The document that the endpoints were read from; nil where they were given one by one.
    public let discoveryDocument: OIDServiceDiscovery?

    private init(
        _ authorizationEndpoint: URL,
        _ tokenEndpoint: URL,
        _ issuer: URL?,
        _ registrationEndpoint: URL?,
        _ endSessionEndpoint: URL?,
        _ discoveryDocument: OIDServiceDiscovery?
    ) {
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        self.issuer = issuer
        self.registrationEndpoint = registrationEndpoint
        self.endSessionEndpoint = endSessionEndpoint
        self.discoveryDocument = discoveryDocument
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
        self.init(authorizationEndpoint, tokenEndpoint, issuer, registrationEndpoint, endSessionEndpoint, nil)
    }

    /// A provider as its discovery document says it is.
    public convenience init(discoveryDocument: OIDServiceDiscovery) {
        self.init(
            discoveryDocument.authorizationEndpoint,
            discoveryDocument.tokenEndpoint,
            discoveryDocument.issuer,
            discoveryDocument.registrationEndpoint,
            discoveryDocument.endSessionEndpoint,
            discoveryDocument
        )
    }

    override open class var supportsSecureCoding: Bool { true }

    /// Reads an archive; nil where one of the two endpoints is missing or anything is of the wrong type.
    public required init?(coder: NSCoder) {
        var archive = ArchiveReader(coder)
        let endpoints = (archive.url("authorizationEndpoint"), archive.url("tokenEndpoint"))
        self.issuer = archive.url("issuer")
        self.registrationEndpoint = archive.url("registrationEndpoint")
        self.endSessionEndpoint = archive.url("endSessionEndpoint")
        self.discoveryDocument = archive.object("discoveryDocument", OIDServiceDiscovery.self)
        guard let authorizationEndpoint = endpoints.0, let tokenEndpoint = endpoints.1, archive.isWhole else {
            return nil
        }
        self.authorizationEndpoint = authorizationEndpoint
        self.tokenEndpoint = tokenEndpoint
        super.init(coder: coder)
    }

    override open func encode(with coder: NSCoder) {
        coder.encode(members: [
            "authorizationEndpoint": self.authorizationEndpoint, "tokenEndpoint": self.tokenEndpoint,
            "issuer": self.issuer, "registrationEndpoint": self.registrationEndpoint,
            "endSessionEndpoint": self.endSessionEndpoint, "discoveryDocument": self.discoveryDocument,
        ])
    }

    override var facts: [(name: String, text: String?)] { [("server", self.tokenEndpoint.host())] }
}

extension OIDServiceConfiguration {
    /// A provider whose endpoints are known; nil where they are not.
    convenience init?(_ provider: Provider) {
        func url(_ endpoint: Endpoint?) -> URL? { endpoint.flatMap { URL(string: $0.url) } }
        guard let metadata = provider.metadata, let authorizationEndpoint = url(metadata.authorizationEndpoint),
            let tokenEndpoint = url(metadata.tokenEndpoint)
        else { return nil }
        self.init(
            authorizationEndpoint: authorizationEndpoint,
            tokenEndpoint: tokenEndpoint,
            issuer: URL(string: provider.issuer.url),
            registrationEndpoint: url(metadata.registrationEndpoint),
            endSessionEndpoint: url(metadata.endSessionEndpoint)
        )
    }

    /// Whether the token endpoint is Google's, which is known by itself: `configurationForGoogle()` has no issuer.
    var isGoogle: Bool { URIParts(self.tokenEndpoint.absoluteString).map { GoogleEndpoints.isGoogle($0) } ?? false }

    /// Where tokens may go unless a program says more: Google's APIs, else the provider itself.
    var origins: [OriginPattern] {
        if self.isGoogle { return GoogleEndpoints.authorizedOrigins.compactMap { try? OriginPattern($0) } }
        let places = [self.issuer, self.authorizationEndpoint, self.tokenEndpoint].compactMap { $0?.absoluteString }
        var origins: [OriginPattern] = []
        for parts in places.compactMap({ URIParts($0) }) {
            guard let origin = OriginPattern(of: parts), !origins.contains(origin) else { continue }
            origins.append(origin)
        }
        return origins
    }
}
