// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

extension LocalProviderOptions {
    /// Why the provider refuses every refresh, in Google's words.
    public enum RefreshRefusal: Sendable, Hashable, CaseIterable {
        /// The organisation wants the person to sign in again (`invalid_grant` with `invalid_rapt`).
        case reauthentication
        /// An administrator does not allow the client (`admin_policy_enforced`).
        case adminPolicy
        /// The client was deleted (`deleted_client`).
        case deletedClient
        /// The client has another secret by now (`invalid_client`).
        case changedSecret

        /// What is answered.
        var failure: TokenFailure {
            switch self {
            case .reauthentication:
                TokenFailure(
                    code: "invalid_grant",
                    explanation: "reauth related error (invalid_rapt)",
                    subtype: "invalid_rapt",
                    uri: "https://support.google.com/a/answer/9368756"
                )
            case .adminPolicy:
                TokenFailure(code: "admin_policy_enforced", explanation: "Access is blocked by the administrator.")
            case .deletedClient:
                TokenFailure(
                    code: "deleted_client",
                    explanation: "The OAuth client was deleted.",
                    status: .unauthorized
                )
            case .changedSecret:
                TokenFailure(
                    code: "invalid_client",
                    explanation: "The provided client secret is invalid.",
                    status: .unauthorized
                )
            }
        }

        /// Whether it is about the client, whatever token comes.
        var isOfClient: Bool { [.deletedClient, .changedSecret].contains(self) }
    }
}
#endif
