// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A kind of credentials.
public enum GoogleCredentialKind: String, Sendable, Hashable, CaseIterable {
    /// A user's refresh token, as written by gcloud.
    case authorizedUser = "authorized_user"
    /// A service account's private key.
    case serviceAccount = "service_account"
    /// A workload or a user of another identity provider.
    case externalAccount = "external_account"
    /// A signed-in user of a workforce pool.
    case externalAccountAuthorizedUser = "external_account_authorized_user"
    /// A service account that other credentials act as.
    case impersonatedServiceAccount = "impersonated_service_account"
    /// The service account of the machine.
    case metadataServer = "metadata_server"
    /// Other credentials with fewer permissions.
    case downscoped
    /// An API key.
    case apiKey = "api_key"
    /// No credentials, for public data and emulators.
    case anonymous
    /// A ready-made access token.
    case token
}
