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

extension GIDConfiguration {
    /// What the program's Info.plist says: `GIDClientID`, `GIDServerClientID`, `GIDHostedDomain`, `GIDOpenIDRealm`; where
    /// there is none, the environment: `GID_CLIENT_FILE`, a `client_secret.json`, or `GID_CLIENT_ID` and
    /// `GID_CLIENT_SECRET`, beside `GID_SERVER_CLIENT_ID`, `GID_HOSTED_DOMAIN` and `GID_OPENID_REALM`.
    ///
    /// - Throws: for a client file that cannot be read.
    static func found(
        infoDictionary: [String: Any] = Bundle.main.infoDictionary ?? [:],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> GIDConfiguration? {
        func setting(_ key: String, _ variable: String) -> String? {
            let value = infoDictionary[key] as? String ?? environment[variable]
            return value?.isEmpty == true ? nil : value
        }
        let serverClientID = setting("GIDServerClientID", "GID_SERVER_CLIENT_ID")
        let hostedDomain = setting("GIDHostedDomain", "GID_HOSTED_DOMAIN")
        if let clientID = setting("GIDClientID", "GID_CLIENT_ID") {
            return GIDConfiguration(
                clientID: clientID,
                serverClientID: serverClientID,
                hostedDomain: hostedDomain,
                openIDRealm: setting("GIDOpenIDRealm", "GID_OPENID_REALM"),
                place: .google(clientSecret: setting("GIDClientSecret", "GID_CLIENT_SECRET").map(Secret.init))
            )
        }
        return try setting("GIDClientFile", "GID_CLIENT_FILE")
            .map {
                try GIDConfiguration(clientFile: $0, serverClientID: serverClientID, hostedDomain: hostedDomain)
            }
    }
}

/// Where a configuration's sign-ins take place.
enum GooglePlace: Sendable, Hashable {
    /// At Google, with a client that has a secret where it is one of a desktop program.
    case google(clientSecret: Secret?)
    /// At a provider with a client of its own.
    case provider(Provider)

    func provider(clientID: String) throws -> Provider {
        switch self {
        case .provider(let provider): return provider
        case .google(let clientSecret):
            guard !clientID.isEmpty else {
                throw GIDSignInError(.invalidConfiguration, detail: "the client ID is empty")
            }
            return try .google(
                client: OAuthClient(
                    clientID: clientID,
                    clientSecret: clientSecret,
                    authentication: clientSecret == nil ? .publicClient : .clientSecretPost
                )
            )
        }
    }
}

extension GIDConfiguration {
    /// The redirect URI of a client for apps.
    ///
    /// - Throws: ``GIDSignInError`` `invalidConfiguration` for a client ID that does not look like Google's.
    func schemeRedirectURI() throws(GIDSignInError) -> String {
        do {
            return try OAuthClient(clientID: self.clientID).googleAppRedirectURI()
        } catch {
            throw GIDSignInError(.invalidConfiguration, detail: error.description)
        }
    }
}
