// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import Testing
internal import TesseraJSON
@testable internal import TesseraLocalProvider
internal import TesseraOAuth

extension EndpointResponse {
    var bytes: [UInt8] { if case .bytes(let bytes) = self.content { bytes } else { [] } }
    var text: String { String(decoding: self.bytes, as: UTF8.self) }
    var json: JSONValue { get throws { try JSONValue(parsing: self.bytes) } }
    /// Whether the connection ends in the middle of the body.
    var isCut: Bool { self.cutLength != nil }
    var errorCode: String? { try? self.json["error"]?.string }

    /// The secret that the page's form carries.
    var attempt: String { get throws { try #require(self.values("name=\"attempt\" value=\"").first) } }
    var tickedScopes: [String] { self.values("name=\"scope\" value=\"") }

    /// The parameters that the redirect added.
    var redirectParameters: [String: String] {
        let query = self.headers[.location]?.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        let pairs = (try? FormParameters(decoding: query))?.parameters.map { ($0.name, $0.value) } ?? []
        return Dictionary(pairs) { first, _ in first }
    }

    private func values(_ opening: String) -> [String] {
        self.text.split(separator: opening).dropFirst().compactMap { $0.split(separator: "\"").first.map(String.init) }
    }
}
#endif
