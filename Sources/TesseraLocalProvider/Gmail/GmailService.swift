// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TesseraJSON
internal import TesseraSupport

/// The small Gmail: a mailbox for each account, in memory; mail to an account arrives, all other mail goes nowhere.
final class GmailService: Sendable {
    private let post: Mutex<GmailPost>

    init(options: LocalProviderOptions) { self.post = Mutex(GmailPost(options.accounts, at: options.now())) }

    static func isGmail(_ path: String) -> Bool {
        path.hasPrefix("/gmail/v1/users/") || path.hasPrefix("/upload/gmail/v1/users/")
    }

    /// Answers a call that ``ProviderState/gmailAuthorization(_:at:)`` looked at.
    func respond(
        to request: EndpointRequest,
        _ authorization: Result<GmailCall, APIFailure>,
        at now: Date
    ) -> EndpointResponse {
        do throws(APIFailure) {
            let call = try authorization.get()
            let mask = try call.parameters["fields"].map { text throws(APIFailure) in try FieldMask(text) }
            let result = self.post.withLock { post -> Result<JSONNode?, APIFailure> in
                Result { () throws(APIFailure) in try post.answer(call, request, at: now) }
            }
            guard let node = try result.get() else { return EndpointResponse(.noContent) }
            return .json(mask?.applied(to: node) ?? node)
        } catch {
            return error.response
        }
    }
}

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

extension ProviderState {
    /// Reads a call and checks its token: the call, or why it is refused.
    func gmailAuthorization(_ request: EndpointRequest, at now: Int64) -> Result<GmailCall, APIFailure> {
        do throws(APIFailure) {
            guard let parameters = try? FormParameters(decoding: request.query) else {
                throw .badRequest("The query is not well-formed.")
            }
            let isUpload = request.path.hasPrefix("/upload/")
            let words = request.path.split(separator: "/", omittingEmptySubsequences: false)
                .dropFirst(isUpload ? 5 : 4).map(String.init)
            let operation = try GmailOperation(request.method, Array(words.dropFirst()), isUpload: isUpload)
            let (token, account) = try self.apiToken(
                request,
                anyOf: operation.scopes,
                service: "gmail.googleapis.com",
                at: now
            )
            let user = words.first.flatMap(Self.user) ?? ""
            guard user == "me" || user.lowercased() == account.email.lowercased() else {
                throw .forbidden("forbidden", "Delegation denied for \(account.email)")
            }
            let scopes = Set(operation.scopes).intersection(token.scopes).subtracting([ScopeCatalog.gmailMetadata])
            return .success(
                GmailCall(
                    operation: operation,
                    parameters: parameters,
                    account: account,
                    readsBodies: !scopes.isEmpty,
                    isUpload: isUpload
                )
            )
        } catch {
            return .failure(error)
        }
    }

    /// The user that a part of a path names; a plus sign there is no space.
    private static func user(_ word: String) -> String? {
        (try? FormParameters(decoding: "user=\(word.replacing("+", with: "%2B"))"))?["user"]
    }
}
#endif
