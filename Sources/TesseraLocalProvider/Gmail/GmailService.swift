// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Hummingbird
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// The small Gmail: a mailbox for each account, in memory; mail to an account arrives, all other mail goes nowhere.
final class GmailService: Sendable {
    /// Carries a call out; nil for an answer without content.
    private typealias Method = @Sendable (inout GmailPost, APICall) throws -> JSONNode?

    private let post: Mutex<GmailPost>

    init(options: LocalProviderOptions) { self.post = Mutex(GmailPost(options.accounts, at: options.now())) }

    static func isGmail(_ path: String) -> Bool {
        path.hasPrefix("/gmail/v1/users/") || path.hasPrefix("/upload/gmail/v1/users/")
    }

    /// The methods of the Gmail, each with the scopes of which any one is enough.
    ///
    /// - SeeAlso: [Gmail API, REST reference](https://developers.google.com/workspace/gmail/api/reference/rest)
    @available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
    func addRoutes(to router: Router<ProviderRequestContext>, _ service: ProviderService) {
        // Permanent deletion needs the scope for everything.
        let everything = [ScopeCatalog.mail]
        let modify = everything + [ScopeCatalog.gmailModify]
        let read = modify + [ScopeCatalog.gmailReadonly]
        let see = read + [ScopeCatalog.gmailMetadata]
        let labels = modify + [ScopeCatalog.gmailLabels]
        let compose = modify + [ScopeCatalog.gmailCompose]

        func on(_ method: HTTPRequest.Method, _ path: String, _ scopes: [String], _ answer: @escaping Method) {
            self.on(router, method, "/gmail/v1/users/:user/\(path)", scopes, service, answer)
        }
        /// The body of the request is, or has in it, a whole message.
        func upload(_ method: HTTPRequest.Method, _ path: String, _ scopes: [String], _ answer: @escaping Method) {
            on(method, path, scopes, answer)
            self.on(router, method, "/upload/gmail/v1/users/:user/\(path)", scopes, service, answer)
        }

        on(.get, "profile", see + [ScopeCatalog.gmailCompose]) { post, call in post.profile(call) }
        on(.get, "history", see) { try $0.history($1) }
        on(.get, "messages", see) { try $0.list($1) }
        upload(.post, "messages", modify + [ScopeCatalog.gmailInsert]) { try $0.insert($1) }
        upload(.post, "messages/send", compose + [ScopeCatalog.gmailSend]) { try $0.send($1) }
        on(.post, "messages/batchModify", modify) { try $0.modifyMessages($1) }
        on(.post, "messages/batchDelete", everything) { try $0.deleteMessages($1) }
        on(.get, "messages/:id", see) { try $0.message($1) }
        on(.get, "messages/:id/attachments/:attachment", read) { try $0.attachment($1) }
        on(.get, "threads", see) { try $0.listThreads($1) }
        on(.get, "threads/:id", see) { try $0.thread($1) }
        for (path, unit) in [("messages/:id", GmailPost.Unit.message), ("threads/:id", .thread)] {
            on(.delete, path, everything) { try $0.delete($1, unit) }
            on(.post, "\(path)/modify", modify) { try $0.modify($1, unit) }
            on(.post, "\(path)/trash", modify) { try $0.change($1, unit, adding: ["TRASH"], removing: ["INBOX"]) }
            on(.post, "\(path)/untrash", modify) { try $0.change($1, unit, adding: [], removing: ["TRASH"]) }
        }
        on(.get, "labels", see + [ScopeCatalog.gmailLabels]) { post, call in post.labels(call) }
        on(.post, "labels", labels) { try $0.createLabel($1) }
        on(.get, "labels/:id", see + [ScopeCatalog.gmailLabels]) { try $0.label($1) }
        on(.patch, "labels/:id", labels) { try $0.changeLabel($1) }
        on(.put, "labels/:id", labels) { try $0.changeLabel($1) }
        on(.delete, "labels/:id", labels) { try $0.deleteLabel($1) }
        on(.get, "drafts", read + [ScopeCatalog.gmailCompose]) { try $0.listDrafts($1) }
        upload(.post, "drafts", compose) { try $0.keepDraft($1) }
        upload(.post, "drafts/send", compose) { try $0.sendDraft($1) }
        on(.get, "drafts/:id", read + [ScopeCatalog.gmailCompose]) { try $0.draft($1) }
        upload(.put, "drafts/:id", compose) { try $0.keepDraft($1) }
        on(.delete, "drafts/:id", compose) { try $0.deleteDraft($1) }
    }

    static let unknownMethod = APIFailure(
        .notFound,
        "notFound",
        "This Gmail knows messages, threads, labels, drafts, history and the profile, without watching.",
        statusName: "NOT_FOUND"
    )

    @available(macOS 14.0, iOS 17.0, tvOS 17.0, *)
    private func on(
        _ router: Router<ProviderRequestContext>,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ scopes: [String],
        _ service: ProviderService,
        _ answer: @escaping Method
    ) {
        router.on(RouterPath(path), method: method) { request, context -> EndpointResponse in
            let call = try service.gmailCall(
                try await EndpointRequest(request, context, limit: 48 << 20),
                anyOf: scopes
            )
            let mask = try call.parameters["fields"].map { try FieldMask($0) }
            guard let node = try self.post.withLock({ post in try answer(&post, call) }) else {
                return EndpointResponse(.noContent)
            }
            return .json(mask?.applied(to: node) ?? node)
        }
    }
}

extension APICall {
    /// Whether the token allows reading bodies, and not only headers.
    var readsBodies: Bool { !self.scopes.isSubset(of: [ScopeCatalog.gmailMetadata]) }
    /// Whether the body is an upload: a message, perhaps with its metadata.
    var isUpload: Bool { self.request.path.hasPrefix("/upload/") }
    var milliseconds: Int64 { GmailPost.milliseconds(self.now) }
}

extension ProviderService {
    fileprivate func gmailCall(_ request: EndpointRequest, anyOf scopes: [String]) throws(APIFailure) -> APICall {
        let call = try self.apiCall(request, anyOf: scopes, service: "gmail.googleapis.com")
        // A plus sign in a path is no space.
        let word = request.parameter("user").replacing("+", with: "%2B")
        let user = (try? FormParameters(received: "user=\(word)"))?["user"] ?? ""
        guard user == "me" || user.lowercased() == call.account.email.lowercased() else {
            throw .forbidden("forbidden", "Delegation denied for \(call.account.email)")
        }
        return call
    }
}
#endif
