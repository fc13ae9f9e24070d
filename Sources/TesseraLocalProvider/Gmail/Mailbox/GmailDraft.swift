// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// A message that is not sent yet.
struct GmailDraft: Sendable {
    let id: String
    var messageID: String
}
#endif
