// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraOAuth
internal import Testing

/// A browser that requests a page of the provider and delivers its redirect or its form to the program.
struct LoopbackBrowser: Sendable {
    let transport: any HTTPTransport

    func open(_ url: String) async throws -> DeliveredResponse {
        let parts = url.split(separator: "://", maxSplits: 1)
        let rest = try #require(parts.last)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let request = HTTPRequest(
            method: .get,
            scheme: String(parts[0]),
            authority: String(rest[..<slash]),
            path: String(rest[slash...])
        )
        let (response, body) = try await self.transport.send(request, body: nil)
        if let location = response.headerFields[.location] { return .redirect(location) }
        let page = String(decoding: try await body.collect(upTo: 1 << 20), as: UTF8.self)
        let fields = Self.values(of: "name", in: page)
            .map { name in
                name + "=" + (Self.values(of: "name=\"\(name)\" value", in: page).first ?? "")
            }
        return .formPost(
            to: try #require(Self.values(of: "action", in: page).first),
            body: fields.joined(separator: "&")
        )
    }

    /// Returns the values of an attribute, in order.
    ///
    /// The pages of the provider contain no escaped characters.
    private static func values(of attribute: String, in page: String) -> [String] {
        page.split(separator: attribute + "=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }
}
