// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// The URI to which the provider redirects the browser.
///
/// A redirect URI is an `https` URL, a URI with a private scheme that contains a dot (`com.example.app:/cb`), or an
/// `http` URL with a loopback address.
///
/// - SeeAlso: [RFC 8252, section 7](https://www.rfc-editor.org/rfc/rfc8252.html#section-7)
public struct RedirectURI: Sendable, Hashable, CustomStringConvertible {
    /// The URI, exactly as registered and sent.
    public let uri: String
    let parts: URIParts

    /// Creates a redirect URI.
    ///
    /// - Throws: ``InvalidRequestError`` if the URI uses plain http with a host that is not a loopback address, has a
    ///   private scheme without a dot, or contains a fragment or user name. `http://localhost` is accepted but not
    ///   recommended. See ``usesLocalhostName``.
    public init(_ uri: String) throws {
        guard let parts = URIParts(uri) else {
            throw InvalidRequestError("redirect_uri", reason: "it is not an absolute URI")
        }
        guard parts.fragment == nil else {
            throw InvalidRequestError("redirect_uri", reason: "it cannot contain a fragment")
        }
        guard parts.userinfo == nil else {
            throw InvalidRequestError("redirect_uri", reason: "it cannot contain a user name")
        }
        switch parts.scheme {
        case "https":
            guard parts.host != nil else { throw InvalidRequestError("redirect_uri", reason: "the host is missing") }
        case "http":
            guard parts.isLoopback else {
                throw InvalidRequestError("redirect_uri", reason: "plain http is allowed for loopback addresses only")
            }
        default:
            guard parts.scheme.contains(".") else {
                throw InvalidRequestError(
                    "redirect_uri",
                    reason: "a private scheme must be a reversed domain name, such as com.example.app"
                )
            }
        }
        self.uri = uri
        self.parts = parts
    }

    /// Whether the host is the name `localhost`.
    ///
    /// Another process can listen on the same name with the other address family (RFC 8252, section 8.3). Prefer
    /// `127.0.0.1` or `[::1]`.
    public var usesLocalhostName: Bool { self.parts.host == "localhost" }

    /// The URI.
    public var description: String { self.uri }

    /// Returns whether a URI is equal to this one, ignoring the query and fragment.
    func matches(_ other: URIParts) -> Bool {
        self.parts.scheme == other.scheme && self.parts.host == other.host && other.userinfo == nil
            && self.parts.effectivePort == other.effectivePort
            && Self.path(self.parts) == Self.path(other)
    }

    /// Returns the path of a URI, or `/` for an http URL without a path.
    private static func path(_ parts: URIParts) -> String {
        parts.path.isEmpty && parts.host != nil ? "/" : parts.path
    }

    /// The maximum length of a response, in bytes.
    private static let maximumLength = 1 << 16

    /// Returns the parameters in a response to this URI, reading only the part that `mode` specifies.
    ///
    /// - Throws: `redirectURI` if the response arrived at another URI, or `redirectFormat` if it uses another mode, is
    ///   not form-encoded, or repeats a parameter.
    func parameters(of response: DeliveredResponse, mode: ResponseMode) throws(ProtocolViolationError) -> FormParameters
    {
        try Self.checkLength(response.uri)
        guard let parts = URIParts(response.uri), self.matches(parts) else { throw Self.wrongURI }
        let query = try Self.form(parts.query)
        // The response must preserve the redirect URI's own query.
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
            throw Self.format("a response in \(mode.rawValue) mode", response.description)
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
        ProtocolViolationError(.redirectURI, expected: "the request's redirect URI")
    }

    private static func format(_ expected: String, _ actual: String) -> ProtocolViolationError {
        ProtocolViolationError(.redirectFormat, expected: expected, actual: actual)
    }
}
