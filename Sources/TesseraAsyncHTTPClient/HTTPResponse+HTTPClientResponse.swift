// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient
internal import AsyncHTTPClient
internal import HTTPTypes
internal import NIOHTTP1
internal import TesseraOAuth

extension HTTPResponse {
    /// The response's head.
    init(_ response: HTTPClientResponse, after last: LastFields, host: String) throws(TransportError) {
        guard let code = Int(exactly: response.status.code), 100...999 ~= code else {
            throw TransportError(.invalidResponse, host: host)
        }
        self.init(status: Status(code: code), headerFields: last.fields(response.headers))
    }
}
#endif
