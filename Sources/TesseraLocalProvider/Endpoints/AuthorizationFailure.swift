// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes

/// A request that the authorization endpoint answers with an error page of its own: nothing in it can be trusted
/// enough to send the browser on.
struct AuthorizationFailure: Error {
    var code: String
    var explanation: String
    var title = "Access blocked: the request is not valid"
    var status: HTTPResponse.Status = .badRequest
    /// What the developer sees under the explanation: names and values of the request, never a secret.
    var details: [(name: String, value: String)] = []
}
#endif
