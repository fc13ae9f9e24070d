// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraGoogle
public import TesseraOAuth

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
