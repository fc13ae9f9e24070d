// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
internal import TesseraJSON
public import TesseraOAuth

/// The file in which Google's tools for Python, Go, Node.js and the shell keep who signed in.
///
/// There are two of a kind, which google-auth reads by one function: `authorized_user`, as gcloud writes its application
/// default credentials, and `token.json`, as `Credentials.to_json()` of google-auth writes it, with the newest access token.
///
/// It holds a refresh token in the clear, and is as secret as that. Members that are not known here stay, in their places,
/// when the file is written again.
///
/// - SeeAlso: [How application default credentials work](https://cloud.google.com/docs/authentication/application-default-credentials)
public struct AuthorizedUserFile: Sendable, Hashable {
    /// Which of the two.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// With `"type": "authorized_user"`; application default credentials.
        case authorizedUser = "authorized_user"
        /// Without a type: google-auth's `to_json()`, called `token.json` by Google's examples.
        case token
    }

    /// Which of the two.
    public var format: Format
    /// `client_id`.
    public var clientID: String
    /// `client_secret`; nil where it is absent or empty.
    public var clientSecret: Secret?
    /// `refresh_token`; nil where there is none: such a grant ends with its access token.
    public var refreshToken: Secret?
    /// `token`: the newest access token.
    public var accessToken: Secret?
    /// `expiry`: when that ends, to the second.
    public var expiry: Date?
    /// `scopes`; nil where the file does not say.
    public var scopes: [Scope]?
    /// `token_uri`, as the file has it: to be compared with a provider's, and never to be sent anything by itself.
    public var tokenURI: String?
    /// `quota_project_id`: the project that calls are billed to.
    public var quotaProjectID: String?
    /// `universe_domain`; nil means `googleapis.com`.
    public var universeDomain: String?
    /// `account`: the email address, where the tool kept it; nil where it is absent or empty.
    public var account: String?
    /// `rapt_token`: the proof of a re-authentication that a Workspace demands.
    public var raptToken: Secret?
    /// The file as it was read, for what is not known here.
    var document: [JSONMember]

    /// A file that is to be written.
    public init(
        _ format: Format,
        clientID: String,
        clientSecret: Secret?,
        refreshToken: Secret?,
        scopes: [Scope]? = nil
    ) {
        self.format = format
        self.clientID = clientID
        self.clientSecret = clientSecret
        self.refreshToken = refreshToken
        self.scopes = scopes
        self.document = []
    }
}
