// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
public import TesseraJSON

/// What came to the redirect URI, exactly as it arrived, with nothing about it believed yet.
///
/// - SeeAlso: [OAuth 2.0 Multiple Response Type Encoding Practices, section 2.1](https://openid.net/specs/oauth-v2-multiple-response-types-1_0.html#ResponseModes)
public enum DeliveredResponse: Sendable, Hashable {
    /// The whole URI that the browser was sent to.
    case redirect(String)
    /// The whole URI that the provider's page posted a form to, and the form's text.
    case formPost(to: String, body: String)

    /// The whole URI.
    public var uri: String {
        switch self {
        case .redirect(let uri), .formPost(let uri, _): uri
        }
    }
}

extension DeliveredResponse: Redacted {
    /// Only how it came: it holds the code.
    public var description: String {
        switch self {
        case .redirect: "a redirect"
        case .formPost: "a form post"
        }
    }
}

extension DeliveredResponse {
    /// `state` as it arrived, by which an attempt is looked for: nothing about it is believed yet.
    ///
    /// In a signed response it is inside. Nil where there is none, or more than one.
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
