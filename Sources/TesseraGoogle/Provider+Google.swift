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
    /// Returns the provider for Google, using the client from a `client_secret.json` file.
    ///
    /// If the file's `auth_uri` is not Google's, as in a file written by the local provider, the provider at that
    /// origin is used and its endpoints are found by discovery. In this case, plain http to a loopback address requires
    /// `insecure`.
    ///
    /// - Throws: `InvalidRequestError` if the file cannot be read or is not a Google client file.
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

    /// Returns the provider for Google, or for a provider that emulates Google, using the client from a parsed file.
    public static func google(_ file: GoogleClientFile, insecure: Insecure = []) throws -> Provider {
        let client = OAuthClient(
            clientID: file.clientID,
            clientSecret: file.clientSecret,
            authentication: file.clientSecret == nil ? .publicClient : .clientSecretPost
        )
        guard let uri = file.authorizationURI else { return try .google(client: client) }
        guard let parts = URIParts(uri), let authority = parts.authority, parts.userinfo == nil else {
            throw InvalidRequestError(
                "client file",
                reason: "auth_uri is not a URL; expected Google's client_secret.json"
            )
        }
        if GoogleEndpoints.isGoogle(parts) { return try .google(client: client) }
        let issuer = try Issuer("\(parts.scheme)://\(authority)", insecure: insecure)
        return Self.googleLike(issuer: issuer, name: authority, client: client, metadata: nil, insecure: insecure)
    }

    /// Returns the provider for Google, using the given client.
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

    /// Returns a provider that behaves like Google and has the given issuer.
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
            // Google returns two of the scopes under different names.
            scopeAliases: ScopeAliases([
                "https://www.googleapis.com/auth/userinfo.email": .email,
                "https://www.googleapis.com/auth/userinfo.profile": .profile,
            ]),
            // Google issues a refresh token only if `access_type` is `offline`.
            authorizationParameters: ["access_type": "offline"],
            incrementalParameters: ["include_granted_scopes": "true"],
            insecure: insecure,
            refreshTokenPolicy: .google
        )
    }
}

extension SignInOptions {
    /// Requires an account of a Google Workspace domain.
    ///
    /// The domain is sent to Google's sign-in page as a hint (`hd`), and the claim in the ID token is verified.
    public mutating func requireHostedDomain(_ domain: String) {
        self.additionalParameters["hd"] = domain
        self.requiredClaims["hd"] = domain
    }
}
