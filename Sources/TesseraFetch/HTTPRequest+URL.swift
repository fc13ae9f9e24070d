// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
public import TesseraOAuth

extension HTTPRequest {
    /// A request for an absolute URL, as it is written.
    ///
    /// - Throws: `InvalidRequestError` for what is no absolute http or https URL, or has a user name; a fragment is dropped.
    public init(method: Method = .get, url: String, headerFields: HTTPFields = [:]) throws(InvalidRequestError) {
        guard let parts = URIParts(url), let authority = parts.authority, parts.userinfo == nil,
            parts.scheme == "https" || parts.scheme == "http"
        else {
            let hasSpace = url.contains(where: \.isWhitespace)
            throw InvalidRequestError(
                "url",
                reason: hasSpace ? "contains white space" : "not an absolute http or https URL without user name",
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
