// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

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
