// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
extension GmailOperation {
    /// Any one of these scopes is enough.
    ///
    /// - SeeAlso: [Gmail API, REST reference](https://developers.google.com/workspace/gmail/api/reference/rest)
    var scopes: [String] {
        let everything = [ScopeCatalog.mail]
        let modify = everything + [ScopeCatalog.gmailModify]
        let read = modify + [ScopeCatalog.gmailReadonly]
        let see = read + [ScopeCatalog.gmailMetadata]
        return switch self {
        case .profile: see + [ScopeCatalog.gmailCompose]
        case .history, .messages, .message, .threads, .thread: see
        case .attachment: read
        case .labels, .label: see + [ScopeCatalog.gmailLabels]
        case .createLabel, .changeLabel, .deleteLabel: modify + [ScopeCatalog.gmailLabels]
        case .send: modify + [ScopeCatalog.gmailCompose, ScopeCatalog.gmailSend]
        case .insert: modify + [ScopeCatalog.gmailInsert]
        case .drafts, .draft: read + [ScopeCatalog.gmailCompose]
        case .createDraft, .changeDraft, .sendDraft, .deleteDraft: modify + [ScopeCatalog.gmailCompose]
        case .modifyMessage, .modifyMessages, .modifyThread: modify
        case .trashMessage, .untrashMessage, .trashThread, .untrashThread: modify
        // What is gone for good needs the whole.
        case .deleteMessage, .deleteMessages, .deleteThread: everything
        }
    }
}
#endif
