// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraGoogle
internal import TesseraOAuth

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
