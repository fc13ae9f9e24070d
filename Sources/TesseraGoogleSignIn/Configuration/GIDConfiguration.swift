// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Foundation
internal import Tessera
internal import TesseraGoogle
public import TesseraOAuth

/// The app's client at Google and the requirements for its sign-ins.
public final class GIDConfiguration: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The app's client ID.
    public let clientID: String
    /// The client ID of the app's server, which receives its own authorization code.
    ///
    /// See ``GIDSignInResult``.
    public let serverClientID: String?
    /// The Google Workspace domain to which accounts must belong.
    ///
    /// Other accounts are rejected.
    public let hostedDomain: String?
    /// The OpenID 2.0 realm of an app that migrated from OpenID 2.0.
    public let openIDRealm: String?
    let location: ConfiguredProvider

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - clientID: The app's client ID.
    ///   - serverClientID: The client ID of the app's server.
    ///   - hostedDomain: The domain to which accounts must belong.
    ///   - openIDRealm: The OpenID 2.0 realm of an app that migrated from OpenID 2.0.
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
            location: .google(clientSecret: nil)
        )
    }

    /// Creates a configuration from a `client_secret.json` file, which Google's console provides for desktop apps.
    ///
    /// If the file's `auth_uri` is not Google's, for example because the file comes from a local provider, sign-ins use
    /// that provider.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - serverClientID: The client ID of the app's server.
    ///   - hostedDomain: The domain to which accounts must belong.
    ///   - insecure: The insecure connections to permit when using a local provider.
    /// - Throws: `InvalidRequestError` if the file cannot be read or is not in Google's format.
    public convenience init(
        clientFile path: String,
        serverClientID: String? = nil,
        hostedDomain: String? = nil,
        insecure: Insecure = []
    ) throws {
        let provider = try Provider.google(clientFile: path, insecure: insecure)
        self.init(
            clientID: provider.client.clientID,
            serverClientID: serverClientID,
            hostedDomain: hostedDomain,
            openIDRealm: nil,
            location: .provider(provider)
        )
    }

    init(
        clientID: String,
        serverClientID: String?,
        hostedDomain: String?,
        openIDRealm: String?,
        location: ConfiguredProvider
    ) {
        self.clientID = clientID
        self.serverClientID = serverClientID
        self.hostedDomain = hostedDomain
        self.openIDRealm = openIDRealm
        self.location = location
    }

    /// A description with the four identifiers, but not the client secret.
    public override var description: String {
        func text(_ value: String?) -> String { value ?? "(null)" }
        let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
        return """
            <GIDConfiguration: 0x\(address), clientID: \(self.clientID), \
            serverClientID: \(text(self.serverClientID)), hostedDomain: \(text(self.hostedDomain)), \
            openIDRealm: \(text(self.openIDRealm))>
            """
    }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether the class supports secure coding, which is always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the four identifiers, but not the client secret.
    public func encode(with coder: NSCoder) {
        let members = [
            ("clientID", self.clientID), ("serverClientID", self.serverClientID),
            ("hostedDomain", self.hostedDomain), ("openIDRealm", self.openIDRealm),
        ]
        for (key, value) in members { coder.encode(value as NSString?, forKey: key) }
    }

    /// Decodes a configuration encoded by this class or by Google's library, or returns nil if the client ID is
    /// missing.
    ///
    /// An unarchiver finds this class under its name in Google's library once the app has created or used a
    /// ``GIDSignIn``.
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
    /// Returns the configuration from Info.plist or the environment, if any.
    ///
    /// The keys in Info.plist are `GIDClientID`, `GIDServerClientID`, `GIDHostedDomain` and `GIDOpenIDRealm`. If a key
    /// is missing, the environment is used. It can contain either `GID_CLIENT_FILE` with the path of a
    /// `client_secret.json` file, or `GID_CLIENT_ID` and `GID_CLIENT_SECRET`. `GID_SERVER_CLIENT_ID`,
    /// `GID_HOSTED_DOMAIN` and `GID_OPENID_REALM` are optional. An empty `GIDClientID` results in a configuration, as
    /// in Google's library. Any other empty value is ignored.
    ///
    /// - Throws: An error if the client file cannot be read.
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
        if let clientID = infoDictionary["GIDClientID"] as? String ?? setting("GIDClientID", "GID_CLIENT_ID") {
            return GIDConfiguration(
                clientID: clientID,
                serverClientID: serverClientID,
                hostedDomain: hostedDomain,
                openIDRealm: setting("GIDOpenIDRealm", "GID_OPENID_REALM"),
                location: .google(clientSecret: setting("GIDClientSecret", "GID_CLIENT_SECRET").map(Secret.init))
            )
        }
        return try setting("GIDClientFile", "GID_CLIENT_FILE")
            .map {
                try GIDConfiguration(clientFile: $0, serverClientID: serverClientID, hostedDomain: hostedDomain)
            }
    }
}

/// The provider that a configuration's sign-ins use.
enum ConfiguredProvider: Sendable, Hashable {
    /// Google.
    ///
    /// A desktop app's client has a secret.
    case google(clientSecret: Secret?)
    /// A custom provider together with its client.
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
    /// Returns the redirect URI that uses the client's custom scheme.
    ///
    /// - Throws: ``GIDSignInError`` `invalidConfiguration` if the client ID is not in Google's format.
    func schemeRedirectURI() throws(GIDSignInError) -> String {
        do {
            return try OAuthClient(clientID: self.clientID).googleAppRedirectURI()
        } catch {
            throw GIDSignInError(.invalidConfiguration, detail: error.description)
        }
    }

    /// Returns the redirect URI that uses the client's custom scheme, which the app must have registered.
    ///
    /// - Throws: ``GIDSignInError`` `invalidConfiguration` if the client ID is not in Google's format, or if the scheme
    ///   is not listed under `CFBundleURLTypes` in Info.plist.
    func registeredRedirectURI(
        infoDictionary: [String: Any] = Bundle.main.infoDictionary ?? [:]
    ) throws(GIDSignInError) -> String {
        let redirectURI = try self.schemeRedirectURI()
        let scheme = redirectURI.prefix { $0 != ":" }
        let types = infoDictionary["CFBundleURLTypes"] as? [[String: Any]] ?? []
        let schemes = types.flatMap { $0["CFBundleURLSchemes"] as? [String] ?? [] }
        guard schemes.contains(where: { $0.lowercased() == scheme }) else {
            throw GIDSignInError(
                .invalidConfiguration,
                detail: "the URL scheme \(scheme) is missing from CFBundleURLTypes in Info.plist"
            )
        }
        return redirectURI
    }
}
