// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import HTTPTypes

/// A request as a scripted network saw it.
///
/// It shows everything that was sent, secrets too: for tests only.
public struct RecordedRequest: Sendable, Hashable {
    /// The method, the URL's parts and the fields.
    public let head: HTTPRequest
    /// The whole body; empty where there was none.
    public let body: [UInt8]

    /// A request with its body.
    public init(head: HTTPRequest, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }

    /// The whole URL.
    public var url: String {
        "\(self.head.scheme ?? "")://\(self.head.authority ?? "")\(self.head.path ?? "")"
    }
    /// The URL's path without its query.
    public var path: String { String((self.head.path ?? "").prefix { $0 != "?" }) }
    /// The body as text.
    public var text: String { String(decoding: self.body, as: UTF8.self) }
    /// The body's form parameters in the order sent.
    public var form: [FormParameter] { FormParameter.parse(self.text) }
    /// The query's parameters in the order sent.
    public var query: [FormParameter] {
        let parts = (self.head.path ?? "").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? FormParameter.parse(String(parts[1])) : []
    }

    /// The value of the form parameter of that name; nil when it is absent or there more than once.
    public func formValue(_ name: String) -> String? {
        let values = self.form.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }
}
