// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth

extension HTTPRequest {
    /// Creates a request for an absolute URL.
    ///
    /// The URL is not normalized, and its fragment is dropped.
    ///
    /// - Throws: `InvalidRequestError` if the string is not an absolute http or https URL, or if it contains a user
    ///   name.
    public init(method: Method = .get, url: String, headerFields: HTTPFields = [:]) throws(InvalidRequestError) {
        guard let parts = URIParts(url), let authority = parts.authority, parts.userinfo == nil,
            parts.scheme == "https" || parts.scheme == "http"
        else {
            let hasSpace = url.contains(where: \.isWhitespace)
            throw InvalidRequestError(
                "url",
                reason: hasSpace ? "contains whitespace" : "not an absolute http or https URL without a user name",
                advice: hasSpace ? "Write a space as %20." : "Write the whole URL, such as https://api.example/items."
            )
        }
        self.init(
            method: method,
            scheme: parts.scheme,
            authority: authority,
            path: parts.requestTarget,
            headerFields: headerFields
        )
    }
}
