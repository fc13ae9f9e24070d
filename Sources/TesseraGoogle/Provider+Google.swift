// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
public import Tessera
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraSupport

extension Provider {
    /// Google, with the client of a `client_secret.json` file.
    ///
    /// A file whose `auth_uri` points elsewhere (the local provider's) makes a provider of that place, found by discovery;
    /// plain http to a loopback address then needs `insecure`.
    ///
    /// - Throws: `InvalidRequestError` for a file that cannot be read or is none of Google's.
    public static func google(clientFile path: String, insecure: Insecure = []) throws -> Provider {
        let bytes: [UInt8]
        do {
            bytes = Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            let owner = FileSystem.otherOwner(of: path, trustsRoot: false).map { "; it belongs to \($0)" } ?? ""
            throw InvalidRequestError("client file", reason: "\(path) cannot be read\(owner)")
        }
        return try .google(GoogleClientFile(parsing: bytes), insecure: insecure)
    }

    /// Google, or a provider that plays Google, with the client of a file that was read.
    public static func google(_ file: GoogleClientFile, insecure: Insecure = []) throws -> Provider {
        let client = OAuthClient(
            clientID: file.clientID,
            clientSecret: file.clientSecret,
            authentication: file.clientSecret == nil ? .publicClient : .clientSecretPost
        )
        guard let uri = file.authorizationURI else { return try .google(client: client) }
        guard let parts = URIParts(uri), let authority = parts.authority, parts.userinfo == nil else {
            throw InvalidRequestError("client file", reason: "auth_uri is no URL; expected Google's client_secret.json")
        }
        if GoogleEndpoints.isGoogle(parts) { return try .google(client: client) }
        let issuer = try Issuer("\(parts.scheme)://\(authority)", insecure: insecure)
        return Self.googleLike(issuer: issuer, name: authority, client: client, metadata: nil, insecure: insecure)
    }

    /// Google itself, with a client.
    public static func google(client: OAuthClient) throws -> Provider {
        var provider = Self.googleLike(
            issuer: try Issuer(GoogleEndpoints.issuer),
            name: "Google",
            client: client,
            metadata: try GoogleEndpoints.metadata(),
            insecure: []
        )
        provider.authorizedOrigins = try GoogleEndpoints.authorizedOrigins.map { try OriginPattern($0) }
        return provider
    }

    /// What is special about Google, wherever it is.
    private static func googleLike(
        issuer: Issuer,
        name: String,
        client: OAuthClient,
        metadata: ServerMetadata?,
        insecure: Insecure
    ) -> Provider {
        Provider(
            name: name,
            issuer: issuer,
            metadata: metadata,
            client: client,
            issuerAliases: issuer.url == GoogleEndpoints.issuer ? GoogleEndpoints.issuerAliases : [],
            // Two scopes have two spellings.
            scopeAliases: ScopeAliases([
                "https://www.googleapis.com/auth/userinfo.email": .email,
                "https://www.googleapis.com/auth/userinfo.profile": .profile,
            ]),
            // A refresh token comes only to who asks for it.
            authorizationParameters: ["access_type": "offline"],
            incrementalParameters: ["include_granted_scopes": "true"],
            insecure: insecure,
            grantRules: .google
        )
    }
}

extension SignInOptions {
    /// Asks for an account of one Google Workspace domain and refuses any other: the page is only told (`hd`), the ID
    /// token's claim decides.
    public mutating func requireHostedDomain(_ domain: String) {
        self.additionalParameters["hd"] = domain
        self.requiredClaims["hd"] = domain
    }
}
