// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// Where the provider sends the browser back to.
///
/// `https` anywhere, a private scheme with a dot (`com.example.app:/cb`), or http to a loopback address literal.
///
/// - SeeAlso: [RFC 8252, section 7](https://www.rfc-editor.org/rfc/rfc8252.html#section-7)
public struct RedirectURI: Sendable, Hashable, CustomStringConvertible {
    /// The URI exactly as it is registered and sent.
    public let uri: String
    let parts: URIParts

    /// Checks a redirect URI.
    ///
    /// - Throws: ``InvalidRequestError`` for plain http to anything but loopback, a private scheme without a dot, a fragment,
    ///   or a user name. `http://localhost` is accepted; ``usesLocalhostName`` tells that it should be avoided.
    public init(_ uri: String) throws {
        guard let parts = URIParts(uri) else {
            throw InvalidRequestError("redirect_uri", reason: "not an absolute URI")
        }
        guard parts.fragment == nil else {
            throw InvalidRequestError("redirect_uri", reason: "a fragment is not allowed")
        }
        guard parts.userinfo == nil else {
            throw InvalidRequestError("redirect_uri", reason: "a user name is not allowed")
        }
        switch parts.scheme {
        case "https":
            guard parts.host != nil else { throw InvalidRequestError("redirect_uri", reason: "a host is missing") }
        case "http":
            guard parts.isLoopback else {
                throw InvalidRequestError("redirect_uri", reason: "plain http is for loopback addresses only")
            }
        default:
            guard parts.scheme.contains(".") else {
                throw InvalidRequestError(
                    "redirect_uri",
                    reason: "a private scheme needs a dot: a domain name, reversed"
                )
            }
        }
        self.uri = uri
        self.parts = parts
    }

    /// Whether the host is the name `localhost`, which another process can claim on the other address family
    /// (RFC 8252, section 8.3): better `127.0.0.1` or `[::1]`.
    public var usesLocalhostName: Bool { self.parts.host == "localhost" }

    /// The URI.
    public var description: String { self.uri }

    /// Whether a URI is this one but for query and fragment.
    func matches(_ other: URIParts) -> Bool {
        self.parts.scheme == other.scheme && self.parts.host == other.host && other.userinfo == nil
            && self.parts.effectivePort == other.effectivePort
            && Self.path(self.parts) == Self.path(other)
    }

    /// An http URL without a path has the path `/`.
    private static func path(_ parts: URIParts) -> String {
        parts.path.isEmpty && parts.host != nil ? "/" : parts.path
    }

    /// The longest response that is read, in bytes.
    private static let maximumLength = 1 << 16

    /// Returns the parameters of a response that arrived at this URI, read where `mode` puts them and nowhere else.
    ///
    /// - Throws: `redirectURI` for another URI; `redirectFormat` for another mode, for text that is not form-encoded, and for
    ///   a parameter that occurs twice.
    func parameters(of response: DeliveredResponse, mode: ResponseMode) throws(ProtocolViolationError) -> FormParameters
    {
        try Self.checkLength(response.uri)
        guard let parts = URIParts(response.uri), self.matches(parts) else { throw Self.wrongURI }
        let query = try Self.form(parts.query)
        // The query of the redirect URI itself has to be there.
        let own = try Self.form(self.parts.query)
        guard own.parameters.allSatisfy(query.parameters.contains) else { throw Self.wrongURI }
        let form: FormParameters
        switch response {
        case .redirect where !mode.isFormPost:
            form = mode == .fragment ? try Self.form(parts.fragment) : query
        case .formPost(_, let body) where mode.isFormPost:
            try Self.checkLength(body)
            form = try Self.form(body)
        default:
            throw Self.format("an answer by \(mode.rawValue)", response.description)
        }
        // RFC 6749, section 3.1: parameters MUST NOT be included more than once.
        if let name = form.repeatedName { throw Self.format("each parameter once", "\(name) twice") }
        return form
    }

    private static func form(_ text: String?) throws(ProtocolViolationError) -> FormParameters {
        do {
            return try FormParameters(redirect: text ?? "")
        } catch {
            throw Self.format("form-encoded parameters", error.rawValue)
        }
    }

    private static func checkLength(_ text: String) throws(ProtocolViolationError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw Self.format("at most \(Self.maximumLength) bytes", "\(text.utf8.count)")
        }
    }

    private static var wrongURI: ProtocolViolationError {
        ProtocolViolationError(.redirectURI, expected: "the redirect URI of the request")
    }

    private static func format(_ expected: String, _ actual: String) -> ProtocolViolationError {
        ProtocolViolationError(.redirectFormat, expected: expected, actual: actual)
    }
}
