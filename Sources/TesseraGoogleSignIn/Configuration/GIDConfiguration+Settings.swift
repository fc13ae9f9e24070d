// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
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
