// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
public import TesseraOAuth

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
