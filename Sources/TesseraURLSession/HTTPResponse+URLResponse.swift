// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraOAuth

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension HTTPResponse {
    /// The response's head; a field whose name is none is left out.
    init(_ response: URLResponse, host: String) throws(TransportError) {
        guard let response = response as? HTTPURLResponse, 100...999 ~= response.statusCode else {
            throw TransportError(.invalidResponse, host: host)
        }
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                continue
            }
            fields.append(HTTPField(name: name, value: value))
        }
        self.init(status: Status(code: response.statusCode), headerFields: fields)
    }
}
