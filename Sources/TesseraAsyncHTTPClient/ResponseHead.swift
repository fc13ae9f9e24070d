// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if AsyncHTTPClient && !canImport(UIKit)
internal import AsyncHTTPClient
internal import HTTPTypes
internal import NIOHTTP1
internal import TesseraOAuth

/// A response head along with its original fields.
///
/// Most responses from a server have the same fields, and many have the same values. If the next response has an
/// identical head, this head is reused. Otherwise, only the fields that differ are parsed again.
final class ResponseHead: Sendable {
    let response: HTTPResponse
    /// The length of the body in bytes, if known.
    let length: Int64?
    private let code: Int
    /// The original fields in the same order as the fields in `response`, or nil if they are not suitable for
    /// comparison.
    private let fields: [(name: String, value: String)]?

    /// Creates a head from a response.
    ///
    /// Fields with invalid names are omitted.
    init(_ response: HTTPClientResponse, after last: ResponseHead?, host: String) throws(TransportError) {
        guard let code = Int(exactly: response.status.code), 100...999 ~= code else {
            throw TransportError(.invalidResponse, host: host)
        }
        let fields = last?.updated(with: response.headers) ?? Self.make(response.headers)
        let isComparable =
            fields.count == response.headers.count && response.headers.allSatisfy { Self.isASCII($0.value) }
        self.fields = isComparable ? Array(response.headers) : nil
        self.code = code
        self.response = HTTPResponse(status: HTTPResponse.Status(code: code), headerFields: fields)
        self.length = Self.bodyLength(response)
    }

    /// Returns whether a response has an identical head.
    func isHead(of response: HTTPClientResponse) -> Bool {
        guard let fields = self.fields, fields.count == response.headers.count, self.code == response.status.code else {
            return false
        }
        var index = 0
        for (name, value) in response.headers {
            guard value.equals(ascii: fields[index].value), name.equals(ascii: fields[index].name) else { return false }
            index += 1
        }
        return true
    }

    /// Returns the fields with values from other headers, or nil if the names differ.
    private func updated(with headers: HTTPHeaders) -> HTTPFields? {
        guard let fields = self.fields, fields.count == headers.count else { return nil }
        var updated = self.response.headerFields
        for (index, (name, value)) in headers.enumerated() {
            guard name.equals(ascii: fields[index].name) else { return nil }
            if !value.equals(ascii: fields[index].value) { updated[index].value = value }
        }
        return updated
    }

    private static func make(_ headers: HTTPHeaders) -> HTTPFields {
        var fields = HTTPFields()
        fields.reserveCapacity(headers.count)
        for (name, value) in headers {
            guard let name = HTTPField.Name(name) else { continue }
            fields.append(HTTPField(name: name, value: value))
        }
        return fields
    }

    private static func isASCII(_ text: String) -> Bool {
        text.utf8.withContiguousStorageIfAvailable { $0.reduce(0, |) < 0x80 } ?? false
    }

    // RFC 9112, section 6.3: 204 and 304 responses never have a body. SwiftNIO's parser rejects responses that have
    // both a transfer coding and a length.
    private static func bodyLength(_ response: HTTPClientResponse) -> Int64? {
        if response.status == .noContent || response.status == .notModified { return 0 }
        return response.headers.first(name: "content-length").flatMap { Int64($0) }
    }
}
#endif
