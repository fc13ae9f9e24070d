// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes
internal import TesseraOAuth

extension AccessToken {
    /// Puts the token into a request, in place of whatever is in its `Authorization` and `DPoP` fields: for a bound token
    /// with a proof for exactly this request.
    ///
    /// Call it for each sending: a proof may be used once, and another URL needs another.
    ///
    /// - Throws: `InvalidRequest` for a bound token and a request without an absolute URL.
    /// - SeeAlso: [RFC 9449, section 7.1](https://www.rfc-editor.org/rfc/rfc9449.html#section-7.1)
    public func authorize(_ request: inout HTTPRequest) throws {
        request.headerFields[fields: .authorization] = Array(self.fields)
        if let name = HTTPField.Name("DPoP") { request.headerFields[name] = nil }
        try self.dpop?.prove(&request, accessToken: self.secret)
    }

    /// Takes from a response what the next proof to its server has to carry.
    ///
    /// - Returns: whether it brought a nonce that can be used; always false for a bearer token.
    @discardableResult
    public func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool {
        self.dpop?.learn(from: response, to: request) ?? false
    }
}
