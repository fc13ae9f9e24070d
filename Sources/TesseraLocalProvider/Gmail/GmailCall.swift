// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// A call to the Gmail that was found to be allowed.
struct GmailCall: Sendable {
    var operation: GmailOperation
    var parameters: FormParameters
    var account: LocalProviderAccount
    /// Whether the token is good for what a message says, and not only for its head.
    var readsBodies: Bool
    /// Whether the body is an upload: a message, perhaps with its metadata.
    var isUpload: Bool
}
#endif
