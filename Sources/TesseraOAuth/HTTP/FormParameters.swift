// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import TesseraJSON

/// Named values in `application/x-www-form-urlencoded`: the body of a token request, the query of a redirect.
///
/// Encoding leaves only unreserved characters bare and writes a space as `+`. Decoding is strict: a broken percent
/// escape, invalid UTF-8 or a NUL is an error, not a guess.
///
/// - SeeAlso: [RFC 6749, appendix B](https://www.rfc-editor.org/rfc/rfc6749.html#appendix-B)
package struct FormParameters: Sendable, Hashable {
    package struct Parameter: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// In the order of sending.
    package private(set) var parameters: [Parameter] = []

    package init() {}

    /// Reads encoded parameters; empty parts (`&&`) are passed over, a part without `=` is a name with an empty value.
    package init(decoding text: some StringProtocol) throws(FormDecodingError) {
        // By bytes: a combining mark behind a separator makes one Character with it, and hides it.
        for part in text.utf8.split(separator: UInt8(ascii: "&")) {
            let pair = part.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decode(pair[0])
            let value = pair.count == 2 ? try Self.decode(pair[1]) : ""
            self.parameters.append(Parameter(name: name, value: value))
        }
    }

    /// Reads the parameters of a redirect: at most 100.
    ///
    /// A redirect may come from anywhere, and each of its parameters may be a secret that an error must not show.
    init(redirect text: some StringProtocol) throws(FormDecodingError) {
        guard text.utf8.count(where: { $0 == UInt8(ascii: "&") }) < 100 else { throw .tooMany }
        try self.init(decoding: text)
    }

    /// Adds a parameter; nil adds nothing.
    package mutating func append(_ name: String, _ value: String?) {
        guard let value else { return }
        self.parameters.append(Parameter(name: name, value: value))
    }

    /// Adds a parameter unless there is one of that name.
    package mutating func appendOnce(_ name: String, _ value: String) {
        if self[name] == nil { self.append(name, value) }
    }

    /// Every value of that name.
    package func values(_ name: String) -> [String] {
        self.parameters.lazy.filter { $0.name == name }.map(\.value)
    }

    /// The first value of that name.
    package subscript(_ name: String) -> String? { self.parameters.first { $0.name == name }?.value }

    /// The first name that occurs twice.
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

    /// One encoded name or value.
    package static func encode(_ text: String) -> String { PercentEncoding.encode(text, .form) }

    /// One decoded name or value.
    private static func decode(_ text: some Collection<UInt8>) throws(FormDecodingError) -> String {
        guard let bytes = PercentEncoding.decode(text, plusIsSpace: true, isStrict: true) else { throw .brokenEscape }
        guard !bytes.contains(0) else { throw .nul }
        guard let decoded = String(wellFormedUTF8: bytes) else { throw .invalidUTF8 }
        return decoded
    }
}

extension FormParameters: Redacted {
    /// Only the names: the values may be codes, tokens and secrets.
    package var description: String { "form with " + self.parameters.map(\.name).joined(separator: ", ") }
}

/// Why encoded parameters cannot be read.
package enum FormDecodingError: String, Error {
    case brokenEscape = "a broken percent escape"
    case invalidUTF8 = "text that is not UTF-8"
    case nul = "a NUL character"
    case tooMany = "more than 100 parameters"
}

/// What requests to several endpoints have in common.
extension FormParameters {
    /// Names that the requests themselves write, and those of the client's proof.
    private static let reservedNames: Set<String> = [
        "grant_type", "client_id", "client_secret", "client_assertion", "client_assertion_type", "scope", "resource",
    ]

    /// `scope`, where there are scopes.
    mutating func append(scopes: [Scope]) throws {
        if !scopes.isEmpty { self.append("scope", try ScopeList.text(scopes)) }
    }

    /// A caller's own parameters; none of those that the request has, may have (`reserved`) or gets with the proof.
    mutating func append(
        additional parameters: some Sequence<(key: String, value: String)>,
        reserved: Set<String> = []
    ) throws {
        let written = Self.reservedNames.union(reserved).union(self.parameters.map(\.name))
        for (name, value) in parameters {
            guard !written.contains(name) else {
                throw InvalidRequestError(name, reason: "this parameter is written by the request itself")
            }
            self.append(name, value)
        }
    }
}

// Where a token is meant to be used: the `resource` parameter, which may be there more than once.
///
/// - SeeAlso: [RFC 8707, section 2](https://www.rfc-editor.org/rfc/rfc8707.html#section-2)
extension FormParameters {
    /// Adds each resource, once; each has to be an absolute URI without a fragment.
    mutating func append(resources: [String]) throws {
        var seen: Set<String> = []
        for resource in resources where seen.insert(resource).inserted {
            guard let parts = URIParts(resource), parts.fragment == nil else {
                throw InvalidRequestError("resource", reason: "an absolute URI without a fragment is needed")
            }
            self.append("resource", resource)
        }
    }
}
