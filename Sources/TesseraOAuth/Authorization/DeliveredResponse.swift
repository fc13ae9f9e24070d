// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraJSON

/// An authorization response as received at the redirect URI, before any validation.
///
/// - SeeAlso: [OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1](https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#ResponseModes)
public enum DeliveredResponse: Sendable, Hashable {
    /// The complete URI to which the browser was redirected.
    case redirect(String)
    /// The complete URI to which the provider's page posted a form, and the encoded form.
    case formPost(to: String, body: String)

    /// The complete URI.
    public var uri: String {
        switch self {
        case .redirect(let uri), .formPost(let uri, _): uri
        }
    }
}

extension DeliveredResponse: Redacted {
    /// A description of the response mode, without the URI or form because these contain the code.
    public var description: String {
        switch self {
        case .redirect: "a redirect"
        case .formPost: "a form post"
        }
    }
}

extension DeliveredResponse {
    /// The unvalidated `state` in the response, which identifies the pending authorization.
    ///
    /// In a signed response, the `state` is a claim. This value is nil if the `state` is missing or a parameter is
    /// repeated.
    package var state: String? {
        let text: String
        switch self {
        case .redirect(let uri): text = URIParts(uri)?.query ?? ""
        case .formPost(_, let body): text = body
        }
        guard text.utf8.count <= 1 << 16, let form = try? FormParameters(decoding: text), form.repeatedName == nil
        else {
            return nil
        }
        if let state = form["state"] { return state }
        return form["response"].flatMap { try? CompactJWS(parsing: $0).claims()["state"]?.string }
    }
}
