// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Oracles
internal import Synchronization
internal import TesseraJOSE
internal import TesseraJSON
@testable internal import TesseraOAuth

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    check(Array(fuzzing: start, count))
    return 0
}

/// Checks URI parsing and the handling of redirects.
///
/// The parts of a URI must form the URI again and match Foundation's. A redirect must return a code exactly if
/// Foundation finds the redirect URI, the state and one code in it. A redirect that does not match must leave the
/// attempt open.
private func check(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let parts = URIParts(text)
    let components = URLComponents(string: text, encodingInvalidCharacters: false)
    if let parts {
        expect(joined(parts, port: text).lowercased() == text.lowercased(), "the parts form the URI")
        if let components { expect(agree(parts, components), "Foundation finds the same parts") }
    }
    for index in Attempts.redirectURIs.indices {
        guard let attempt = Attempts.open(index) else { return expect(false, "an attempt can be created") }
        let response = DeliveredResponse.redirect(text)
        let mismatch = attempt.mismatch(response)
        let outcome = Result { try attempt.claim(response) }
        check(outcome, mismatch, attempt, isURI: parts != nil, components)
        // Complete the attempt for one input in 64 only, because it has to be created again afterwards.
        if mismatch != nil, bytes.reduce(0, &+) & 63 != 0 { continue }
        let genuine = Result { try attempt.claim(.redirect(Attempts.genuine(index))) }
        switch (mismatch, genuine) {
        case (.some, .success), (nil, .failure): break
        default: expect(false, "only a matching redirect ends the attempt")
        }
        Attempts.close(index)
    }
}

private func check(
    _ outcome: Result<UnverifiedAuthorizationResponse, any Error>,
    _ mismatch: ProtocolViolationError?,
    _ attempt: PendingAuthorization,
    isURI: Bool,
    _ components: URLComponents?
) {
    let code = components.flatMap { plainCode($0, attempt) }
    switch outcome {
    case .success(.code(let received)):
        expect(mismatch == nil, "a redirect that does not match has no code")
        expect(components == nil || received.withUnredacted { $0 } == code, "the code is the redirect's")
    case .success:
        expect(mismatch == nil, "a redirect that does not match is not read")
        expect(attempt.request.responseMode == .jwt, "a signed response is accepted only if it was requested")
    case .failure(let error):
        expect(!isURI || code == nil, "a valid redirect is accepted")
        expect(error is OAuthError || error is ProtocolViolationError, "an error has one of two types")
        expect("\(error)".unicodeScalars.allSatisfy { $0.value >= 0x20 }, "an error is one line")
    }
}

/// Returns the code of a redirect that is valid according to Foundation, or nil.
private func plainCode(_ redirect: URLComponents, _ attempt: PendingAuthorization) -> String? {
    guard attempt.request.responseMode == nil, let own = URLComponents(string: attempt.request.redirectURI.uri),
        redirect.scheme?.lowercased() == own.scheme, redirect.host?.lowercased() == own.host,
        (redirect.port ?? defaultPort(redirect)) == (own.port ?? defaultPort(own)), redirect.user == nil,
        redirect.percentEncodedPath == own.percentEncodedPath,
        let query = FormText.parameters(of: redirect.percentEncodedQuery ?? ""),
        let ownQuery = FormText.parameters(of: own.percentEncodedQuery ?? "")
    else { return nil }
    var values: [String: String] = [:]
    for (name, value) in query where values.updateValue(value, forKey: name) != nil { return nil }
    let forbidden = ["error", "response", "access_token", "id_token", "token_type"]
    guard ownQuery.allSatisfy({ values[$0.0] == $0.1 }), values["state"] == Attempts.state,
        !forbidden.contains(where: { values[$0] != nil }),
        values["iss"].map({ $0 == attempt.issuer.url }) ?? !Attempts.expectsIssuer(attempt.request.redirectURI.uri),
        let code = values["code"], !code.isEmpty, code.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
    else { return nil }
    return code
}

private func defaultPort(_ components: URLComponents) -> Int? {
    switch components.scheme?.lowercased() {
    case "http": 80
    case "https": 443
    default: nil
    }
}

/// Returns the URI formed by the parts, with the leading zeros of the port in the text.
private func joined(_ parts: URIParts, port text: String) -> String {
    var whole = parts.scheme + ":"
    if let host = parts.host {
        whole += "//" + (parts.userinfo.map { $0 + "@" } ?? "") + host
        if let port = parts.port {
            let zeros = text.dropFirst(whole.count + 1).prefix { $0 == "0" }
            whole += ":" + zeros + String(port)
        }
    }
    return whole + parts.path + (parts.query.map { "?" + $0 } ?? "") + (parts.fragment.map { "#" + $0 } ?? "")
}

private func agree(_ parts: URIParts, _ components: URLComponents) -> Bool {
    func bare(_ host: String?) -> String? {
        host?.lowercased().trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    }
    return components.scheme?.lowercased() == parts.scheme
        && bare(components.percentEncodedHost) == bare(parts.host)
        && components.port == parts.port && components.percentEncodedPath == parts.path
        && components.percentEncodedQuery == parts.query && components.percentEncodedFragment == parts.fragment
        && (components.percentEncodedUser != nil) == (parts.userinfo != nil)
}

/// The pending attempts: one for each kind of redirect URI, and one that requested a signed response.
private enum Attempts {
    static let redirectURIs = [
        "http://127.0.0.1:5000/callback", "https://app.example/cb?tenant=a", "com.example.app:/cb",
        "https://signed.example/cb",
    ]

    /// The state that results from random bytes of zero.
    static let state = String(repeating: "A", count: 43)

    /// Whether the provider supports the `iss` parameter.
    static func expectsIssuer(_ redirectURI: String) -> Bool { redirectURI.hasPrefix("https:") }

    private static func isSigned(_ redirectURI: String) -> Bool { redirectURI.hasPrefix("https://signed") }

    private static let waiting = Mutex<[Int: PendingAuthorization]>([:])

    static func open(_ index: Int) -> PendingAuthorization? {
        self.waiting.withLock { waiting in
            if waiting[index] == nil { waiting[index] = try? self.make(index) }
            return waiting[index]
        }
    }

    static func close(_ index: Int) { self.waiting.withLock { $0[index] = nil } }

    static func genuine(_ index: Int) -> String {
        let uri = self.redirectURIs[index]
        if self.isSigned(uri) {
            let claims = #"{"state":"\#(self.state)"}"#
            return uri + "?response="
                + [#"{"alg":"ES256"}"#, claims, "signature"].map { Base64URL.encode($0.utf8) }
                .joined(separator: ".")
        }
        return uri + (uri.contains("?") ? "&" : "?") + "iss=https://as.example&code=c&state=" + self.state
    }

    private static func make(_ index: Int) throws -> PendingAuthorization {
        let metadata = try ServerMetadata([
            ("issuer", "https://as.example"), ("authorization_endpoint", "https://as.example/authorize"),
            ("token_endpoint", "https://as.example/token"),
            ("authorization_response_iss_parameter_supported", .bool(self.expectsIssuer(self.redirectURIs[index]))),
        ])
        return try PendingAuthorization(
            AuthorizationRequest(
                redirectURI: RedirectURI(self.redirectURIs[index]),
                scopes: [.openID],
                responseMode: self.isSigned(self.redirectURIs[index]) ? .jwt : nil
            ),
            metadata: metadata,
            client: OAuthClient(clientID: "client"),
            runtime: OAuthRuntime(
                transport: NoTransport(),
                now: { Date(timeIntervalSince1970: 0) },
                uptime: { 0 },
                clock: ContinuousClock(),
                randomBytes: { [UInt8](repeating: 0, count: $0) }
            )
        )
    }
}

/// A transport for clients that send no requests.
private struct NoTransport: HTTPTransport {
    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        throw CancellationError()
    }
}
