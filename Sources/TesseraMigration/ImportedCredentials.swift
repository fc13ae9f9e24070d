// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraGoogle
internal import TesseraJSON
public import TesseraOAuth
internal import TesseraSupport

/// Credentials read from another tool's storage.
///
/// Pass them to `SignIn.adopt(_:options:)` to create a session. The other tool's storage is not changed.
public struct ImportedCredentials: Sendable, Hashable {
    /// The format from which the credentials were read.
    public var format: CredentialFormat
    /// The refresh token with its ID token, scopes and token endpoint.
    public var credentials: ExistingCredentials
    /// The client ID that the credentials were issued to, or nil if the format does not include it.
    public var clientID: String?
    /// The client's secret, if the format includes it.
    public var clientSecret: Secret?
    /// The client's redirect URI, if the format includes it.
    public var redirectURI: String?
    /// The issuer, if the tool stored it.
    public var issuer: String?
    /// The stored email address, which is not verified.
    public var email: String?
    /// The stored subject, which is not verified.
    public var subject: String?

    /// Creates imported credentials.
    public init(
        format: CredentialFormat,
        credentials: ExistingCredentials,
        clientID: String? = nil,
        clientSecret: Secret? = nil,
        redirectURI: String? = nil,
        issuer: String? = nil,
        email: String? = nil,
        subject: String? = nil
    ) {
        self.format = format
        self.credentials = credentials
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.redirectURI = redirectURI
        self.issuer = issuer
        self.email = email
        self.subject = subject
    }
}

/// A format in which another tool stores a user's credentials.
public enum CredentialFormat: String, Sendable, Hashable, CaseIterable {
    /// An ``AuthorizedUserFile`` with a type, as in gcloud's application default credentials.
    case authorizedUser = "authorized_user"
    /// An ``AuthorizedUserFile`` without a type, as in google-auth's `token.json`.
    case token
    /// A keyed archive that contains classes from AppAuth, GTMAppAuth or GoogleSignIn.
    case keyedArchive = "keyed_archive"
    /// A ``GTMOAuth2PersistenceString``.
    case gtmOAuth2 = "gtmoauth2"
}

extension ImportedCredentials {
    /// Reads credentials in any supported format, which is detected from the contents.
    ///
    /// - Parameter bytes: An `authorized_user` file, a `token.json`, a GTMOAuth2 string, or a binary keyed archive
    ///   whose root is an `OIDAuthState`, a GTMAppAuth session or a GoogleSignIn user.
    /// - Throws: ``MigrationError`` with the code `unknownFormat`, `damaged`, `noCredentials` or `noRefreshToken`.
    public init(parsing bytes: [UInt8]) throws(MigrationError) {
        if BinaryPropertyList.isRecognized(bytes) {
            self = try AppAuthArchiveReader(parsing: bytes).credentials()
        } else if bytes.first(where: { !Self.isSpace($0) }) == UInt8(ascii: "{") {
            try self.init(json: bytes)
        } else {
            try self.init(text: bytes)
        }
    }

    /// Creates imported credentials from a file written by Google's tools.
    ///
    /// - Throws: ``MigrationError`` with the code `noRefreshToken`, or `anotherProvider` if the file's universe is not
    ///   `googleapis.com`.
    public init(_ file: AuthorizedUserFile) throws(MigrationError) {
        guard let refreshToken = file.refreshToken else { throw MigrationError(.noRefreshToken) }
        if let universe = file.universeDomain, universe != "googleapis.com" {
            throw MigrationError(
                .anotherProvider,
                detail: "the universe is \(UntrustedText.printable(universe, limit: 80))"
            )
        }
        self.init(
            format: file.format == .token ? .token : .authorizedUser,
            credentials: ExistingCredentials(
                refreshToken: refreshToken,
                scopes: file.scopes ?? [],
                tokenEndpoint: file.tokenURI
            ),
            clientID: file.clientID,
            clientSecret: file.clientSecret,
            email: file.account
        )
    }

    private init(json bytes: [UInt8]) throws(MigrationError) {
        if let file = try? GoogleClientFile(parsing: bytes) {
            throw MigrationError(
                .noCredentials,
                detail: """
                    it is a client file (\(file.kind.rawValue)), for use with 'tessera login --client FILE'
                    """
            )
        }
        try self.init(AuthorizedUserFile(parsing: bytes))
    }

    private init(text bytes: [UInt8]) throws(MigrationError) {
        let start = bytes.drop(while: Self.isSpace)
        if ["<?xml", "<!DOCTYPE plist", "<plist"].contains(where: { start.starts(with: $0.utf8) }) {
            throw MigrationError(
                .unknownFormat,
                detail: "an XML property list, which 'plutil -convert binary1' can convert"
            )
        }
        guard bytes.count <= AuthorizedUserFile.maximumLength, let text = String(wellFormedUTF8: bytes)
        else {
            throw MigrationError(.unknownFormat)
        }
        let line = text.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) } ?? ""
        let string = GTMOAuth2PersistenceString(parsing: String(line.filter { !$0.isWhitespace }))
        let names = [GTMOAuth2PersistenceString.Key.refreshToken, GTMOAuth2PersistenceString.Key.accessToken]
        guard names.contains(where: { string[$0] != nil }) else { throw MigrationError(.unknownFormat) }
        try self.init(string)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}

extension ImportedCredentials {
    /// Whether Google issued the credentials, according to the file.
    ///
    /// The file's issuer or, if it has none, its token endpoint must be Google's. If a file from Google's tools has
    /// neither, it is assumed to come from Google.
    public var isIssuedByGoogle: Bool {
        guard let location = self.issuer ?? self.credentials.tokenEndpoint else {
            return [.authorizedUser, .token].contains(self.format)
        }
        return URIParts(location).map { GoogleEndpoints.isGoogle($0) } ?? false
    }

    /// The client that the credentials were issued to, or nil if the file does not include it.
    public var client: OAuthClient? {
        self.clientID.map { OAuthClient(clientID: $0, clientSecret: self.clientSecret) }
    }

    /// Returns Google as the provider, with the client that the credentials were issued to.
    ///
    /// - Throws: ``MigrationError`` with the code `anotherProvider` if the file names another provider or none, because
    ///   a file must not determine where a refresh token is sent, or `clientMissing` if the file does not name the
    ///   client.
    public func googleProvider() throws -> Provider {
        guard self.isIssuedByGoogle else {
            let name = (self.issuer ?? self.credentials.tokenEndpoint).map { "it names " + UntrustedText.printable($0) }
            throw MigrationError(.anotherProvider, detail: name ?? "the file does not name the provider")
        }
        guard var client = self.client else { throw MigrationError(.clientMissing) }
        client.authentication = client.clientSecret == nil ? .publicClient : .clientSecretPost
        return try .google(client: client)
    }
}

extension SignIn {
    /// Creates a session from imported credentials, without a new sign-in.
    ///
    /// The refresh token is used once, as with `ExistingCredentials`. It is sent only to this provider's token
    /// endpoint, regardless of the file's contents. Information about the user in the file is not trusted.
    ///
    /// - Parameters:
    ///   - imported: The imported credentials.
    ///   - options: The sign-in options, used in the same way as for `ExistingCredentials`.
    /// - Returns: The saved session.
    /// - Throws: ``MigrationError`` with the code `anotherClient`, `InvalidRequestError` if the file names another
    ///   token endpoint, or any error from adopting `ExistingCredentials`.
    public func adopt(
        _ imported: ImportedCredentials,
        options: SignInOptions = SignInOptions()
    ) async throws -> OAuthSession {
        if let clientID = imported.clientID, clientID != self.provider.client.clientID {
            throw MigrationError(.anotherClient, detail: UntrustedText.printable(clientID, limit: 120))
        }
        var credentials = imported.credentials
        // Google's token endpoint has had several URLs, and old files contain old ones.
        if self.provider.issuer.url == GoogleEndpoints.issuer, imported.isIssuedByGoogle {
            credentials.tokenEndpoint = nil
        }
        return try await self.adopt(credentials, options: options)
    }
}
