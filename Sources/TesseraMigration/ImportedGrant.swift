// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraGoogle
internal import TesseraJSON
public import TesseraOAuth
internal import TesseraSupport

/// A grant as another tool kept it, with what that tool knew about it.
///
/// `SignIn.adopt(_:options:)` makes a session of it. Where it was read from stays as it is.
public struct ImportedGrant: Sendable, Hashable {
    /// What it was read from.
    public var format: ForeignFormat
    /// The refresh token, and what belongs to it.
    public var grant: ExistingGrant
    /// The client that the grant was given to; nil where the format does not say.
    public var clientID: String?
    /// That client's secret.
    public var clientSecret: Secret?
    /// Where that client's answers came.
    public var redirectURI: String?
    /// The issuer, where the tool knew it.
    public var issuer: String?
    /// The email address, as the tool kept it; the provider says who it is.
    public var email: String?
    /// The subject, as the tool kept it; the provider says who it is.
    public var subject: String?

    /// A grant of another tool.
    public init(
        format: ForeignFormat,
        grant: ExistingGrant,
        clientID: String? = nil,
        clientSecret: Secret? = nil,
        redirectURI: String? = nil,
        issuer: String? = nil,
        email: String? = nil,
        subject: String? = nil
    ) {
        self.format = format
        self.grant = grant
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.redirectURI = redirectURI
        self.issuer = issuer
        self.email = email
        self.subject = subject
    }
}

/// A format in which another tool keeps a person's grant.
public enum ForeignFormat: String, Sendable, Hashable, CaseIterable {
    /// ``AuthorizedUserFile`` with its type: gcloud's application default credentials.
    case authorizedUser = "authorized_user"
    /// ``AuthorizedUserFile`` without a type: google-auth's `token.json`.
    case token
    /// A keyed archive of AppAuth's, GTMAppAuth's or GoogleSignIn's classes.
    case keyedArchive = "keyed_archive"
    /// ``GTMOAuth2PersistenceString``.
    case gtmOAuth2 = "gtmoauth2"
}

extension ImportedGrant {
    /// Reads what another tool kept; the format is told by the contents.
    ///
    /// - Parameter bytes: an `authorized_user` file, a `token.json`, a binary keyed archive whose root is an
    ///   `OIDAuthState`, a session of GTMAppAuth or a user of GoogleSignIn, or GTMOAuth2's string.
    /// - Throws: ``MigrationError``: `unknownFormat`, `damaged`, `notAGrant`, `noRefreshToken`.
    public init(parsing bytes: [UInt8]) throws(MigrationError) {
        if BinaryPropertyList.isRecognized(bytes) {
            self = try AppAuthArchiveReader(parsing: bytes).grant()
        } else if bytes.first(where: { !Self.isSpace($0) }) == UInt8(ascii: "{") {
            try self.init(json: bytes)
        } else {
            try self.init(text: bytes)
        }
    }

    /// The grant of a file of Google's tools.
    ///
    /// - Throws: ``MigrationError`` `noRefreshToken`.
    public init(_ file: AuthorizedUserFile) throws(MigrationError) {
        guard let refreshToken = file.refreshToken else { throw MigrationError(.noRefreshToken) }
        if let universe = file.universeDomain, universe != "googleapis.com" {
            throw MigrationError(
                .anotherProvider,
                detail: "its universe is \(UntrustedText.printable(universe, limit: 80))"
            )
        }
        self.init(
            format: file.format == .token ? .token : .authorizedUser,
            grant: ExistingGrant(
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
                .notAGrant,
                detail: """
                    it is the registration of a client (\(file.kind.rawValue)), with which one signs in: \
                    tessera login --client FILE
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
                detail: "a property list as XML; plutil -convert binary1 makes it binary"
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

extension ImportedGrant {
    /// Whether Google gave the grant, as far as the file tells: its issuer, else its token endpoint, is Google's; a file of
    /// Google's tools that names neither means Google.
    public var isGoogles: Bool {
        guard let place = self.issuer ?? self.grant.tokenEndpoint else {
            return [.authorizedUser, .token].contains(self.format)
        }
        return URIParts(place).map { GoogleEndpoints.isGoogle($0) } ?? false
    }

    /// The client that the grant was given to; nil where the file does not say.
    public var client: OAuthClient? {
        self.clientID.map { OAuthClient(clientID: $0, clientSecret: self.clientSecret) }
    }

    /// Google, with the client that the grant was given to.
    ///
    /// - Throws: ``MigrationError`` `anotherProvider` where a file says that somebody else gave the grant, or does not say
    ///   who did: a file does not decide where a refresh token goes. `clientMissing` where it does not name the client.
    public func googleProvider() throws -> Provider {
        guard self.isGoogles else {
            let place = (self.issuer ?? self.grant.tokenEndpoint).map { "it names " + UntrustedText.printable($0) }
            throw MigrationError(.anotherProvider, detail: place ?? "it does not say by whom")
        }
        guard var client = self.client else { throw MigrationError(.clientMissing) }
        client.authentication = client.clientSecret == nil ? .publicClient : .clientSecretPost
        return try .google(client: client)
    }
}

extension SignIn {
    /// Makes a session of a grant that another tool kept: nobody has to sign in again.
    ///
    /// As with any `ExistingGrant` the refresh token is used once, and sent to this provider's token endpoint alone,
    /// whatever the file names. What the file says about the person is believed in nothing.
    ///
    /// - Parameters:
    ///   - imported: what the other tool kept.
    ///   - options: as for an existing grant.
    /// - Returns: the session, saved.
    /// - Throws: ``MigrationError`` `anotherClient`; `InvalidRequestError` where the file names another token endpoint; else
    ///   what the adoption of an existing grant throws.
    public func adopt(
        _ imported: ImportedGrant,
        options: SignInOptions = SignInOptions()
    ) async throws -> OAuthSession {
        if let clientID = imported.clientID, clientID != self.provider.client.clientID {
            throw MigrationError(.anotherClient, detail: "to \(UntrustedText.printable(clientID, limit: 120))")
        }
        var grant = imported.grant
        // Google's token endpoint has had several addresses, of which older files name older ones.
        if self.provider.issuer.url == GoogleEndpoints.issuer, imported.isGoogles { grant.tokenEndpoint = nil }
        return try await self.adopt(grant, options: options)
    }
}
