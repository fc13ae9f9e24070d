// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import TesseraSupport
internal import TesseraJSON

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
#endif
