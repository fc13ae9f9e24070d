// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
extension ScopeCatalog {
    /// Everything, deletion for good among it.
    static let mail = "https://mail.google.com/"
    static let gmailModify = "https://www.googleapis.com/auth/gmail.modify"
    static let gmailReadonly = "https://www.googleapis.com/auth/gmail.readonly"
    static let gmailMetadata = "https://www.googleapis.com/auth/gmail.metadata"
    static let gmailCompose = "https://www.googleapis.com/auth/gmail.compose"
    static let gmailSend = "https://www.googleapis.com/auth/gmail.send"
    static let gmailInsert = "https://www.googleapis.com/auth/gmail.insert"
    static let gmailLabels = "https://www.googleapis.com/auth/gmail.labels"
}
#endif
