// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
internal import TesseraGoogle
public import TesseraOAuth

/// Which client the program is at Google, and what its sign-ins demand.
public final class GIDConfiguration: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The client's identifier.
    public let clientID: String
    /// The identifier of the program's server, which then gets a code of its own; see ``GIDSignInResult``.
    public let serverClientID: String?
    /// The Google Workspace domain that accounts have to belong to; others are refused.
    public let hostedDomain: String?
    /// The OpenID 2.0 realm of the program's past.
    public let openIDRealm: String?
    let place: GooglePlace

    /// A client.
    ///
    /// - Parameters:
    ///   - clientID: the client's identifier.
    ///   - serverClientID: the identifier of the program's server.
    ///   - hostedDomain: the only domain that is let in.
    ///   - openIDRealm: the OpenID 2.0 realm.
    public convenience init(
        clientID: String,
        serverClientID: String? = nil,
        hostedDomain: String? = nil,
        openIDRealm: String? = nil
    ) {
        self.init(
            clientID: clientID,
            serverClientID: serverClientID,
            hostedDomain: hostedDomain,
            openIDRealm: openIDRealm,
            place: .google(clientSecret: nil)
        )
    }

    /// The client of a `client_secret.json`, as Google's console gives it for desktop programs.
    ///
    /// A file whose `auth_uri` points elsewhere (a local provider's) makes a configuration for that place.
    ///
    /// - Parameters:
    ///   - path: where the file lies.
    ///   - serverClientID: the identifier of the program's server.
    ///   - hostedDomain: the only domain that is let in.
    ///   - insecure: what is permitted beyond https, for a local provider.
    /// - Throws: `InvalidRequestError` for a file that cannot be read or is none of Google's.
    public convenience init(
        clientFile path: String,
        serverClientID: String? = nil,
        hostedDomain: String? = nil,
        permitting insecure: Insecure = []
    ) throws {
        let provider = try Provider.google(clientFile: path, insecure: insecure)
        self.init(
            clientID: provider.client.clientID,
            serverClientID: serverClientID,
            hostedDomain: hostedDomain,
            openIDRealm: nil,
            place: .provider(provider)
        )
    }

    init(
        clientID: String,
        serverClientID: String?,
        hostedDomain: String?,
        openIDRealm: String?,
        place: GooglePlace
    ) {
        self.clientID = clientID
        self.serverClientID = serverClientID
        self.hostedDomain = hostedDomain
        self.openIDRealm = openIDRealm
        self.place = place
    }

    /// Itself: nothing in it changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Only secure coding is supported.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the four identifiers, never a client's secret.
    public func encode(with coder: NSCoder) {
        let members = [
            ("clientID", self.clientID), ("serverClientID", self.serverClientID),
            ("hostedDomain", self.hostedDomain), ("openIDRealm", self.openIDRealm),
        ]
        for (key, value) in members { coder.encode(value as NSString?, forKey: key) }
    }

    /// Reads what `encode(with:)` or Google's library wrote; nil without a client.
    public convenience init?(coder: NSCoder) {
        func text(_ key: String) -> String? { coder.value(String.self, forKey: key) }
        guard let clientID = text("clientID") else { return nil }
        self.init(
            clientID: clientID,
            serverClientID: text("serverClientID"),
            hostedDomain: text("hostedDomain"),
            openIDRealm: text("openIDRealm")
        )
    }
}
