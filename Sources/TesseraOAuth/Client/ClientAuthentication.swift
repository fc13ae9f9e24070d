// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// How a client proves itself at the token endpoint: exactly one method per request.
///
/// - SeeAlso: [RFC 6749, section 2.3](https://www.rfc-editor.org/rfc/rfc6749.html#section-2.3)
public enum ClientAuthentication: String, Sendable, Hashable, CaseIterable {
    /// A public client: only its `client_id`, in the body.
    case publicClient = "none"
    /// `client_id` and `client_secret` in the `Authorization` header, each form-encoded first.
    case clientSecretBasic = "client_secret_basic"
    /// `client_id` and `client_secret` in the body.
    case clientSecretPost = "client_secret_post"

    /// Puts the proof into a request: into the form, or into the value of the `Authorization` header that it returns.
    func apply(to form: inout FormParameters, client: OAuthClient) throws(InvalidRequest) -> Secret? {
        guard self != .publicClient else {
            form.append("client_id", client.clientID)
            return nil
        }
        guard let secret = client.clientSecret else {
            throw InvalidRequest("client_secret", reason: "\(self.rawValue) needs a client secret")
        }
        if self == .clientSecretPost {
            form.append("client_id", client.clientID)
            form.append("client_secret", secret.withUnredacted { $0 })
            return nil
        }
        // RFC 6749, section 2.3.1: both are encoded as a form first, so that a colon in either is no separator.
        let credentials =
            FormParameters.encode(client.clientID) + ":" + secret.withUnredacted { FormParameters.encode($0) }
        return Secret("Basic " + Base64.encode(Array(credentials.utf8)))
    }
}
