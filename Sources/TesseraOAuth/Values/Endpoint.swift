// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE

/// The URL of a provider's endpoint.
///
/// The URL uses https and has no fragment or user name. Plain http requires ``Insecure/loopbackHTTP`` and a loopback
/// host.
///
/// - SeeAlso: [RFC 6749, sections 3.1 and 3.2](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.1),
///   [RFC 8414, section 2](https://www.rfc-editor.org/rfc/rfc8414.html#section-2)
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// The URL in its original spelling.
    public let url: String
    package let parts: URIParts

    /// Creates an endpoint after checking its URL.
    ///
    /// Errors contain `name`, for example `token_endpoint`.
    public init(_ url: String, name: String, insecure: Insecure = []) throws {
        guard let parts = URIParts(url), parts.host != nil else {
            throw Self.violation("\(name) to be an absolute URL", url)
        }
        guard parts.isSecure(insecure: insecure) else {
            throw Self.violation("\(name) to be an https URL", url)
        }
        guard parts.fragment == nil else { throw Self.violation("\(name) without a fragment", url) }
        guard parts.userinfo == nil else { throw Self.violation("\(name) without a user name", nil) }
        self.url = url
        self.parts = parts
    }

    /// The URL.
    public var description: String { self.url }

    func request(_ method: HTTPRequest.Method, fields: HTTPFields) -> HTTPRequest {
        HTTPRequest(
            method: method,
            scheme: self.parts.scheme,
            authority: self.parts.authority,
            path: self.parts.requestTarget,
            headerFields: fields
        )
    }

    private static func violation(_ expected: String, _ actual: String?) -> ProtocolViolationError {
        // The text before an @ may be a password.
        let actual = actual.flatMap { $0.utf8.contains(UInt8(ascii: "@")) ? nil : $0 }
        return ProtocolViolationError(.endpoint, expected: expected, actual: actual)
    }

    /// Returns the URL with additional parameters appended to its query, which must not already contain any of their
    /// names.
    ///
    /// - SeeAlso: [RFC 6749, section 3.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.1)
    func url(with parameters: FormParameters, name: String) throws -> String {
        guard let query = self.parts.query else { return self.url + "?" + parameters.encoded }
        let names: Set<String>
        do {
            names = Set(try FormParameters(decoding: query).parameters.map(\.name))
        } catch {
            throw ProtocolViolationError(
                .endpoint,
                expected: "\(name) with a form-encoded query",
                actual: error.rawValue,
                section: "RFC 6749, section 3.1"
            )
        }
        if let twice = parameters.parameters.map(\.name).first(where: names.contains) {
            throw InvalidRequestError(twice, reason: "\(name) would have this parameter twice")
        }
        return self.url + (query.isEmpty ? "" : "&") + parameters.encoded
    }
}
