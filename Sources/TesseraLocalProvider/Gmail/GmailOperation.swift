// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

/// What a request asks of the Gmail.
enum GmailOperation: Sendable, Hashable {
    case profile
    case history
    case messages
    case message(String)
    case send, insert
    case modifyMessage(String)
    case trashMessage(String)
    case untrashMessage(String)
    case deleteMessage(String)
    case modifyMessages, deleteMessages
    case attachment(message: String, id: String)
    case threads
    case thread(String)
    case modifyThread(String)
    case trashThread(String)
    case untrashThread(String)
    case deleteThread(String)
    case labels
    case label(String)
    case createLabel
    case changeLabel(String)
    case deleteLabel(String)
    case drafts
    case draft(String)
    case createDraft
    case changeDraft(String)
    case sendDraft
    case deleteDraft(String)

    /// The operation that a request's method and the end of its path name; an upload brings a message.
    init(_ method: HTTPRequest.Method, _ words: [String], isUpload: Bool) throws(APIFailure) {
        let rest = Array(words.dropFirst())
        let operation: Self? =
            switch (words.first, words.count) {
            case ("profile", 1): method == .get ? .profile : nil
            case ("history", 1): method == .get ? .history : nil
            case ("messages", _): Self.messages(method, rest)
            case ("threads", _): Self.threads(method, rest)
            case ("labels", _): Self.labels(method, rest)
            case ("drafts", _): Self.drafts(method, rest)
            default: nil
            }
        guard let operation, !words.contains(""), !isUpload || operation.takesMessage else {
            throw APIFailure(
                status: .notFound,
                statusName: "NOT_FOUND",
                reason: "notFound",
                message:
                    "This Gmail knows messages, threads, labels, drafts, history and the profile, without watching."
            )
        }
        self = operation
    }

    /// Whether the request's body is, or has in it, a whole message.
    private var takesMessage: Bool {
        switch self {
        case .send, .insert, .createDraft, .changeDraft, .sendDraft: true
        default: false
        }
    }

    private static func messages(_ method: HTTPRequest.Method, _ words: [String]) -> Self? {
        switch (method, words.count, words.last) {
        case (.get, 0, _): .messages
        case (.post, 0, _): .insert
        case (.post, 1, "send"): .send
        case (.post, 1, "batchModify"): .modifyMessages
        case (.post, 1, "batchDelete"): .deleteMessages
        case (.get, 1, let id?): .message(id)
        case (.delete, 1, let id?): .deleteMessage(id)
        case (.post, 2, "modify"): .modifyMessage(words[0])
        case (.post, 2, "trash"): .trashMessage(words[0])
        case (.post, 2, "untrash"): .untrashMessage(words[0])
        case (.get, 3, let id?) where words[1] == "attachments": .attachment(message: words[0], id: id)
        default: nil
        }
    }

    private static func threads(_ method: HTTPRequest.Method, _ words: [String]) -> Self? {
        switch (method, words.count, words.last) {
        case (.get, 0, _): .threads
        case (.get, 1, let id?): .thread(id)
        case (.delete, 1, let id?): .deleteThread(id)
        case (.post, 2, "modify"): .modifyThread(words[0])
        case (.post, 2, "trash"): .trashThread(words[0])
        case (.post, 2, "untrash"): .untrashThread(words[0])
        default: nil
        }
    }

    private static func labels(_ method: HTTPRequest.Method, _ words: [String]) -> Self? {
        switch (method, words.count, words.last) {
        case (.get, 0, _): .labels
        case (.post, 0, _): .createLabel
        case (.get, 1, let id?): .label(id)
        case (.patch, 1, let id?), (.put, 1, let id?): .changeLabel(id)
        case (.delete, 1, let id?): .deleteLabel(id)
        default: nil
        }
    }

    private static func drafts(_ method: HTTPRequest.Method, _ words: [String]) -> Self? {
        switch (method, words.count, words.last) {
        case (.get, 0, _): .drafts
        case (.post, 0, _): .createDraft
        case (.post, 1, "send"): .sendDraft
        case (.get, 1, let id?): .draft(id)
        case (.put, 1, let id?): .changeDraft(id)
        case (.delete, 1, let id?): .deleteDraft(id)
        default: nil
        }
    }
}

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
