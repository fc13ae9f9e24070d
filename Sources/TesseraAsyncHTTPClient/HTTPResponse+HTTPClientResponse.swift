// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient
internal import AsyncHTTPClient
internal import HTTPTypes
internal import NIOHTTP1
internal import TesseraOAuth

extension HTTPResponse {
    /// The response's head; a field whose name is none is left out.
    init(_ response: HTTPClientResponse, host: String) throws(TransportError) {
        guard let code = Int(exactly: response.status.code), 100...999 ~= code else {
            throw TransportError(.invalidResponse, host: host)
        }
        var fields = HTTPFields()
        fields.reserveCapacity(response.headers.count)
        for (name, value) in response.headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(status: Status(code: code), headerFields: fields)
    }
}
#endif
