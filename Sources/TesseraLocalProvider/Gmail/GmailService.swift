// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A subset of the Gmail API with an in-memory mailbox for each account.
///
/// Messages are delivered only to this provider's accounts.
final class GmailService: Sendable {
    /// A function that performs a call and returns the response, or `nil` for a response without content.
    private typealias Method = @Sendable (inout GmailMailbox, APICall) throws -> JSONNode?

    /// The mailboxes, keyed by their account's subject identifier.
    private let mailboxes: Mutex<[String: GmailMailbox]>

    /// Creates mailboxes that contain a welcome message.
    init(options: LocalProviderOptions) {
        let now = options.now()
        let mailboxes = options.accounts.map { account in
            let lines = [
                "From: Tessera Local Provider <provider@tessera.example>", "To: \(account.name) <\(account.email)>",
                "Subject: Welcome", "Date: \(MailCoding.date(now))",
                "Message-ID: <welcome-\(account.subject)@tessera.example>", "",
                "This message comes from the Tessera Local Provider. No real Gmail is involved.", "",
            ]
            var mailbox = GmailMailbox(account: account)
            let raw = Array(lines.joined(separator: "\r\n").utf8)
            mailbox.add(raw, labels: ["INBOX", "UNREAD"], at: now.milliseconds)
            return (account.subject, mailbox)
        }
        self.mailboxes = Mutex(Dictionary(mailboxes) { first, _ in first })
    }

    static func isGmail(_ path: String) -> Bool {
        path.hasPrefix("/gmail/v1/users/") || path.hasPrefix("/upload/gmail/v1/users/")
    }

    /// Adds the Gmail API's methods, along with the scopes that they accept.
    ///
    /// - SeeAlso: [Gmail API, REST reference](https://developers.google.com/workspace/gmail/api/reference/rest)
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
    func addRoutes(to router: Router<ProviderRequestContext>, _ service: ProviderService) {
        // Permanent deletion requires the scope for full access.
        let everything = [ScopeCatalog.mail]
        let modify = everything + [ScopeCatalog.gmailModify]
        let read = modify + [ScopeCatalog.gmailReadonly]
        let see = read + [ScopeCatalog.gmailMetadata]
        let labels = modify + [ScopeCatalog.gmailLabels]
        let compose = modify + [ScopeCatalog.gmailCompose]

        func on(_ method: HTTPRequest.Method, _ path: String, _ scopes: [String], _ response: @escaping Method) {
            self.on(router, method, "/gmail/v1/users/:user/\(path)", scopes, service, response)
        }
        /// Adds a method for which the request body is or contains a complete message.
        func upload(_ method: HTTPRequest.Method, _ path: String, _ scopes: [String], _ response: @escaping Method) {
            on(method, path, scopes, response)
            self.on(router, method, "/upload/gmail/v1/users/:user/\(path)", scopes, service, response)
        }

        on(.get, "profile", see + [ScopeCatalog.gmailCompose]) { mailbox, _ in mailbox.profile }
        on(.get, "history", see) { try $0.listHistory($1) }
        on(.get, "messages", see) { try $0.listMessages($1) }
        upload(.post, "messages", modify + [ScopeCatalog.gmailInsert]) { try $0.insert($1) }
        upload(.post, "messages/send", compose + [ScopeCatalog.gmailSend]) { try $0.send($1) }
        on(.post, "messages/batchModify", modify) { try $0.modifyMessages($1) }
        on(.post, "messages/batchDelete", everything) { try $0.deleteMessages($1) }
        on(.get, "messages/:id", see) { try $0.getMessage($1) }
        on(.get, "messages/:id/attachments/:attachment", read) { try $0.getAttachment($1) }
        on(.get, "threads", see) { try $0.listThreads($1) }
        on(.get, "threads/:id", see) { try $0.getThread($1) }
        for (path, unit) in [("messages/:id", GmailMailbox.Unit.message), ("threads/:id", .thread)] {
            on(.delete, path, everything) { try $0.delete($1, unit) }
            on(.post, "\(path)/modify", modify) { try $0.modify($1, unit) }
            on(.post, "\(path)/trash", modify) { try $0.change($1, unit, adding: ["TRASH"], removing: ["INBOX"]) }
            on(.post, "\(path)/untrash", modify) { try $0.change($1, unit, adding: [], removing: ["TRASH"]) }
        }
        on(.get, "labels", see + [ScopeCatalog.gmailLabels]) { mailbox, _ in
            .members(["labels": mailbox.allLabels.map { JSONNode.object($0.members) }])
        }
        on(.post, "labels", labels) { try $0.createLabel($1) }
        on(.get, "labels/:id", see + [ScopeCatalog.gmailLabels]) { try $0.getLabel($1) }
        for method in [HTTPRequest.Method.patch, .put] {
            on(method, "labels/:id", labels) { try $0.changeLabel($1) }
        }
        on(.delete, "labels/:id", labels) { try $0.deleteLabel($1) }
        on(.get, "drafts", read + [ScopeCatalog.gmailCompose]) { try $0.listDrafts($1) }
        upload(.post, "drafts", compose) { try $0.keepDraft($1) }
        upload(.post, "drafts/send", compose) { try $0.sendDraft($1) }
        on(.get, "drafts/:id", read + [ScopeCatalog.gmailCompose]) { try $0.getDraft($1) }
        upload(.put, "drafts/:id", compose) { try $0.keepDraft($1) }
        on(.delete, "drafts/:id", compose) { try $0.deleteDraft($1) }
    }

    static let unknownMethod = APIFailure(
        .notFound,
        "notFound",
        "This Gmail only supports messages, threads, labels, drafts, history and the profile, except watch.",
        statusName: "NOT_FOUND"
    )

    @available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
    private func on(
        _ router: Router<ProviderRequestContext>,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ scopes: [String],
        _ service: ProviderService,
        _ response: @escaping Method
    ) {
        router.on(RouterPath(path), method: method) { request, context -> ProviderResponse in
            let request = try await ProviderRequest(request, context, limit: 48 << 20)
            let call = try service.apiCall(request, anyOf: scopes, fields: "*", service: "gmail.googleapis.com")
            // A plus sign in a path does not represent a space.
            let word = request.parameter("user").replacing("+", with: "%2B")
            let user = (try? FormParameters(received: "user=\(word)"))?["user"] ?? ""
            guard user == "me" || user.lowercased() == call.account.email.lowercased() else {
                throw APIFailure.forbidden("forbidden", "Delegation denied for \(call.account.email)")
            }
            guard let node = try self.carryOut(call, response) else { return ProviderResponse(.noContent) }
            return call.response(node)
        }
    }

    /// Performs a call and delivers the messages that it sends to the other accounts.
    private func carryOut(_ call: APICall, _ response: Method) throws -> JSONNode? {
        try self.mailboxes.withLock { mailboxes in
            let subject = call.account.subject
            let node = try response(&mailboxes[subject, default: GmailMailbox(account: call.account)], call)
            for mail in mailboxes[subject]?.takeOutgoing() ?? [] {
                for account in call.accounts
                where account.subject != subject && mail.recipients.contains(account.email.lowercased()) {
                    mailboxes[account.subject, default: GmailMailbox(account: account)]
                        .add(mail.received(by: account.email), labels: ["UNREAD", "INBOX"], at: call.now.milliseconds)
                }
            }
            return node
        }
    }
}

extension APICall {
    /// Whether the token permits reading message bodies in addition to headers.
    var readsBodies: Bool { !self.scopes.isSubset(of: [ScopeCatalog.gmailMetadata]) }
    /// Whether the request uploads a message, with or without metadata.
    var isUpload: Bool { self.request.path.hasPrefix("/upload/") }
}

extension Date {
    /// The time in milliseconds since 1970.
    var milliseconds: Int64 { Int64(max(-1e15, min(1e15, self.timeIntervalSince1970 * 1000))) }
}
#endif
