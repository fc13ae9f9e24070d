// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

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
