// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// A request in a simulation.
struct SimulatedRequest: Sendable {
    let head: HTTPRequest
    let body: [UInt8]
    let path: String
    /// The origin in lowercase, without the default port of https.
    let origin: String

    init(head: HTTPRequest, body: [UInt8]) {
        (self.head, self.body) = (head, body)
        self.path = String(Substring((head.path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") }))
        let origin = "\(head.scheme ?? "")://\(head.authority ?? "")".lowercased()
        self.origin = origin.hasPrefix("https://") && origin.hasSuffix(":443") ? String(origin.dropLast(4)) : origin
    }

    /// The access token in the `Authorization` field.
    var accessToken: String? {
        self.head.headerFields[.authorization]
            .flatMap { field in
                ["Bearer ", "DPoP "].first { field.hasPrefix($0) }.map { String(field.dropFirst($0.count)) }
            }
    }

    /// The refresh token that a token request contains.
    var refreshToken: String? { self.path == "/token" ? self.formValue("refresh_token") : nil }

    /// Returns the value of a parameter in the form, which contains only characters that need no escape.
    func formValue(_ name: String) -> String? { Self.value(of: name, in: self.body[...]) }

    /// Returns the value of a parameter in the query, which contains only characters that need no escape.
    func queryValue(_ name: String) -> String? {
        let query = Array((self.head.path ?? "").utf8).split(separator: UInt8(ascii: "?")).dropFirst().first
        return query.flatMap { Self.value(of: name, in: $0) }
    }

    private static func value(of name: String, in form: ArraySlice<UInt8>) -> String? {
        var rest = form
        while !rest.isEmpty {
            let pair = rest.prefix { $0 != UInt8(ascii: "&") }
            rest = rest.dropFirst(pair.count + 1)
            guard pair.starts(with: name.utf8) else { continue }
            let value = pair.dropFirst(name.utf8.count)
            if value.first == UInt8(ascii: "=") { return String(decoding: value.dropFirst(), as: UTF8.self) }
        }
        return nil
    }

    /// The form in the body, or nil if the body is not a form.
    var form: FormParameters? { try? FormParameters(decoding: String(decoding: self.body, as: UTF8.self)) }

    /// A coordinate of the public key in the proof that the client has a private key (RFC 9449).
    var proofKey: String? {
        guard let name = HTTPField.Name("DPoP"), let proof = self.head.headerFields[name],
            let jws = try? CompactJWS(parsing: proof)
        else { return nil }
        return jws.header.fields["jwk"]?["x"]?.string
    }

    /// The number of the upload that the request begins or sends.
    var upload: Int? {
        let query = (self.head.path ?? "").split(separator: "?").dropFirst().first
        return query.flatMap { $0.hasPrefix("upload=") ? Int($0.dropFirst("upload=".count)) : nil }
    }

    /// Whether the request belongs to an upload, a call or a consent of ``ProgramCalls``, or to the second issuer.
    ///
    /// Those have their own random numbers.
    var isAdditional: Bool {
        let (origin, path) = (self.origin, self.path)
        if origin == SimulatedProvider.issuer {
            return path == "/token" && self.formValue("grant_type") == "authorization_code"
        }
        return origin != SimulatedProvider.api || path != "/files" && path != "/redirect"
    }

    /// What an event of the simulation says about the request.
    var summary: SimulationEvent.Request {
        SimulationEvent.Request(
            method: self.head.method.rawValue,
            origin: self.origin,
            path: self.path,
            refreshToken: self.refreshToken.flatMap(SimulatedToken.init),
            accessToken: self.accessToken.flatMap(SimulatedToken.init)
        )
    }
}

/// A response in a simulation.
struct SimulatedResponse: Sendable {
    var head: HTTPResponse
    let body: [UInt8]
    /// Whether the response does not announce the length of its body.
    var isStreamed = false
    /// The new refresh token in the response.
    var refreshToken: SimulatedToken?

    init(
        _ status: HTTPResponse.Status,
        _ text: String = "",
        fields: HTTPFields = [:],
        type: String = "application/json"
    ) {
        var fields = fields
        if !text.isEmpty { fields[.contentType] = type }
        self.head = HTTPResponse(status: status, headerFields: fields)
        self.body = Array(text.utf8)
    }

    var summary: SimulationEvent.Response {
        SimulationEvent.Response(status: self.head.status.code, refreshToken: self.refreshToken)
    }
}

/// A token of a simulated provider, whose text says what it is.
public struct SimulatedToken: Sendable, Hashable, CustomStringConvertible {
    /// A kind of token.
    public enum Kind: String, Sendable {
        /// An access token.
        case access
        /// A refresh token.
        case refresh
    }

    /// The kind of the token.
    public let kind: Kind
    /// The subject that the token belongs to.
    public let subject: String
    /// The number of the consent that the token comes from.
    public let consent: Int
    /// The number of the token among those of its provider.
    public let number: Int

    init(_ kind: Kind, subject: String, consent: Int, number: Int) {
        (self.kind, self.subject, self.consent, self.number) = (kind, subject, consent, number)
    }

    /// Reads a token, or returns nil if the text is not a token of a simulated provider.
    public init?(_ text: String) {
        var rest = Substring(text).utf8
        func part() -> Substring {
            let part = rest.prefix { $0 != UInt8(ascii: ".") }
            rest = rest.dropFirst(part.count + 1)
            return Substring(part)
        }
        guard let kind = Kind(rawValue: String(part())), case let subject = part(), let consent = Int(part()),
            let number = Int(part()), rest.isEmpty
        else { return nil }
        self.init(kind, subject: String(subject), consent: consent, number: number)
    }

    /// Whether a text has the beginning of a token.
    static func mayBegin(in text: String) -> Bool {
        // Words before a period are compared byte by byte, which is much faster than a search for text.
        text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).dropLast()
            .contains { $0.suffix(7).elementsEqual("refresh".utf8) || $0.suffix(6).elementsEqual("access".utf8) }
    }

    /// The token's text.
    public var description: String { "\(self.kind.rawValue).\(self.subject).\(self.consent).\(self.number)" }
}
