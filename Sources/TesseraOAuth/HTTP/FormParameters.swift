// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJSON

/// Parameters in `application/x-www-form-urlencoded` format, as in a token request or a redirect's query.
///
/// Encoding escapes all characters except unreserved ones and writes a space as `+`. Decoding is strict and rejects
/// invalid percent escapes, invalid UTF-8 and NUL characters.
///
/// - SeeAlso: [RFC 6749, appendix B](https://www.rfc-editor.org/rfc/rfc6749.html#appendix-B)
package struct FormParameters: Sendable, Hashable {
    package struct Parameter: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// The parameters in the order in which they are sent.
    package private(set) var parameters: [Parameter] = []

    package init() {}

    /// Decodes parameters.
    ///
    /// Empty parts (`&&`) are skipped. A part without `=` is a name with an empty value.
    package init(decoding text: some StringProtocol) throws(FormDecodingError) {
        // Split the UTF-8 bytes, because a combining mark after a separator would form one Character with it.
        for part in Array(text.utf8).split(separator: UInt8(ascii: "&")) {
            let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decode(pair[0])
            let value = pair.count == 2 ? try Self.decode(pair[1]) : ""
            self.parameters.append(Parameter(name: name, value: value))
        }
    }

    /// The maximum number of parameters of a redirect.
    static let limit = 100

    /// Decodes a redirect's parameters, of which at most 100 are allowed.
    ///
    /// Anyone can send a redirect, and any parameter may be a secret that must not appear in errors.
    init(redirect text: some StringProtocol) throws(FormDecodingError) {
        guard text.utf8.count(where: { $0 == UInt8(ascii: "&") }) < Self.limit else { throw .tooMany }
        try self.init(decoding: text)
    }

    /// Adds a parameter unless its value is nil.
    package mutating func append(_ name: String, _ value: String?) {
        guard let value else { return }
        self.parameters.append(Parameter(name: name, value: value))
    }

    /// Adds a parameter unless one with the same name exists.
    package mutating func appendOnce(_ name: String, _ value: String) {
        if self[name] == nil { self.append(name, value) }
    }

    /// Returns all values with the given name.
    package func values(_ name: String) -> [String] {
        self.parameters.lazy.filter { $0.name == name }.map(\.value)
    }

    /// The first value with the given name.
    package subscript(_ name: String) -> String? { self.parameters.first { $0.name == name }?.value }

    /// The first name that appears more than once.
    package var repeatedName: String? {
        var seen: Set<String> = []
        return self.parameters.first { !seen.insert($0.name).inserted }?.name
    }

    /// The encoded text.
    package var encoded: String {
        var result = ""
        for parameter in self.parameters {
            if !result.isEmpty { result += "&" }
            result += Self.encode(parameter.name) + "=" + Self.encode(parameter.value)
        }
        return result
    }

    /// Returns a name or value in encoded form.
    package static func encode(_ text: String) -> String { PercentEncoding.encode(text, .form) }

    /// Returns a name or value in decoded form.
    private static func decode(_ text: some Collection<UInt8>) throws(FormDecodingError) -> String {
        guard let bytes = PercentEncoding.decode(text, plusIsSpace: true, isStrict: true) else { throw .brokenEscape }
        guard !bytes.contains(0) else { throw .nul }
        guard let decoded = String(wellFormedUTF8: bytes) else { throw .invalidUTF8 }
        return decoded
    }
}

extension FormParameters: Redacted {
    /// A description that contains only the names, because the values can be codes, tokens or secrets.
    package var description: String { "form with " + self.parameters.map(\.name).joined(separator: ", ") }
}

/// The reason why parameters cannot be decoded.
package enum FormDecodingError: String, Error {
    case brokenEscape = "a broken percent escape"
    case invalidUTF8 = "text that is not UTF-8"
    case nul = "a NUL character"
    case tooMany = "more than 100 parameters"
}

/// Parameters that several endpoints share.
extension FormParameters {
    /// The parameters that requests and client authentication set themselves.
    private static let reservedNames: Set<String> = [
        "grant_type", "client_id", "client_secret", "client_assertion", "client_assertion_type", "scope", "resource",
    ]

    /// Adds `scope` if there are any scopes.
    mutating func append(scopes: [Scope]) throws {
        if !scopes.isEmpty { self.append("scope", try ScopeList.text(scopes)) }
    }

    /// Adds the caller's parameters.
    ///
    /// The names must not include any in `reserved`, or any that the request or client authentication sets.
    mutating func append(
        additional parameters: some Sequence<(key: String, value: String)>,
        reserved: Set<String> = []
    ) throws {
        let written = Self.reservedNames.union(reserved).union(self.parameters.map(\.name))
        for (name, value) in parameters {
            guard !written.contains(name) else {
                throw InvalidRequestError(name, reason: "this parameter is set by the library")
            }
            self.append(name, value)
        }
    }
}

/// Support for the `resource` parameter, which identifies an API that a token is for and can be repeated.
///
/// - SeeAlso: [RFC 8707, section 2](https://www.rfc-editor.org/rfc/rfc8707.html#section-2)
extension FormParameters {
    /// Adds the resources, without duplicates.
    ///
    /// Each must be an absolute URI without a fragment.
    mutating func append(resources: [String]) throws {
        var seen: Set<String> = []
        for resource in resources where seen.insert(resource).inserted {
            guard let parts = URIParts(resource), parts.fragment == nil else {
                throw InvalidRequestError("resource", reason: "it must be an absolute URI without a fragment")
            }
            self.append("resource", resource)
        }
    }
}
