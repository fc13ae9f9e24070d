// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import TesseraOAuth

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

extension URLRequest {
    init(_ request: HTTPRequest, target: RequestTarget) throws(TransportError) {
        guard let url = URL(string: target.url) else { throw TransportError(.invalidURL, host: target.origin.host) }
        self.init(url: url)
        self.httpMethod = request.method.rawValue
        self.httpShouldHandleCookies = false
        for field in request.headerFields {
            self.addValue(field.value, forHTTPHeaderField: field.name.rawName)
        }
    }
}
