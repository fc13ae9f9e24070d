// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraSupport

/// The part of a simulated API whose responses differ from one call to the next.
///
/// Each call has a number, which the successful response repeats. The path of the request determines the responses.
final class SimulatedService: Sendable {
    private struct State {
        var random: SeededGenerator
        /// The number of the current DPoP nonce.
        var nonce = 0
    }

    private static let paths = "/service/"
    /// A body that is one byte longer than a client reads to judge an error.
    private static let longError = String(decoding: [UInt8](repeating: 0x2D, count: 1_048_577), as: UTF8.self)
    private let state: Mutex<State>

    init(random: SeededGenerator) { self.state = Mutex(State(random: random)) }

    /// Returns whether a request is for this part of the API.
    static func contains(_ path: String) -> Bool { path.hasPrefix(Self.paths) || path.isEmpty || path == "/" }

    /// Responds to a request with a valid access token.
    func respond(to request: SimulatedRequest) -> SimulatedResponse {
        let response =
            switch request.path.dropFirst(Self.paths.count) {
            case "throttled": self.throttled(request)
            case "denied": self.denied(request)
            case "moved": self.moved(request)
            case "bound": self.bound(request)
            case "page": Self.answer(request)
            default: Self.root(request)
            }
        return request.head.method == .head
            ? SimulatedResponse(response.head.status, fields: response.head.headerFields) : response
    }

    private static func answer(_ request: SimulatedRequest) -> SimulatedResponse {
        SimulatedResponse(.ok, #"{"call": \#(request.queryValue("call") ?? "0")}"#)
    }

    private static func root(_ request: SimulatedRequest) -> SimulatedResponse {
        if request.queryValue("start") != nil { return SimulatedResponse(.ok, #"{"files": []}"#) }
        return SimulatedResponse(.temporaryRedirect, fields: [.location: "?start=1"])
    }

    /// Asks the client to wait before it calls again, or responds successfully.
    private func throttled(_ request: SimulatedRequest) -> SimulatedResponse {
        let (status, wait) = self.state.withLock { state -> (Int, Int?) in
            guard state.random.chance(55) else { return (200, nil) }
            let statuses = [408, 429, 429, 429, 500, 502, 503, 503, 504]
            let status = statuses[state.random.below(statuses.count)]
            // A few waits are longer than the client is willing to wait.
            let wait = state.random.chance(10) ? 300 : 1 + state.random.below(15)
            return (status, [429, 503].contains(status) ? wait : nil)
        }
        guard status != 200 else { return Self.answer(request) }
        return SimulatedResponse(HTTPResponse.Status(code: status), fields: wait.map { [.retryAfter: "\($0)"] } ?? [:])
    }

    /// Refuses the request for one of several reasons.
    private func denied(_ request: SimulatedRequest) -> SimulatedResponse {
        let (kind, isStreamed) = self.state.withLock { ($0.random.below(8), $0.random.chance(50)) }
        switch kind {
        case 0:
            let challenge = #"Bearer error="insufficient_scope", scope="files.admin""#
            return SimulatedResponse(.unauthorized, fields: [.wwwAuthenticate: challenge])
        case 1: return SimulatedResponse(.forbidden, fields: [.wwwAuthenticate: #"Bearer error="insufficient_scope""#])
        case 2: return SimulatedResponse(.notFound, fields: [.retryAfter: "30"])
        case 3, 4:
            var response = SimulatedResponse(.forbidden, #"{"error": "rateLimitExceeded"}"#)
            response.isStreamed = isStreamed
            return response
        case 5, 6:
            var response = SimulatedResponse(.forbidden, Self.longError)
            response.isStreamed = isStreamed
            return response
        default: return Self.answer(request)
        }
    }

    /// Redirects the client to another URL, which may respond successfully.
    private func moved(_ request: SimulatedRequest) -> SimulatedResponse {
        if request.queryValue("here") != nil { return Self.answer(request) }
        let page = Self.paths + "page?call=\(request.queryValue("call") ?? "0")"
        let query = "?here=1&call=\(request.queryValue("call") ?? "0")"
        let locations: [String?] = [
            page, request.origin + page, query, query, request.head.path, "https://elsewhere.example/page",
            "http://elsewhere.example/page", "//elsewhere.example/page", "page", nil,
        ]
        let (location, status) = self.state.withLock { state in
            let statuses = [300, 301, 302, 303, 307, 308]
            return (locations[state.random.below(locations.count)], statuses[state.random.below(statuses.count)])
        }
        return SimulatedResponse(
            HTTPResponse.Status(code: status),
            fields: location.map { [.location: $0] } ?? [:]
        )
    }

    /// Responds to a request with a proof of possession that has the current nonce, which changes often.
    ///
    /// - SeeAlso: [RFC 9449, section 9](https://www.rfc-editor.org/rfc/rfc9449.html#section-9)
    private func bound(_ request: SimulatedRequest) -> SimulatedResponse {
        let payload = request.head.headerFields[.dpop]
            .flatMap { $0.split(separator: ".").dropFirst().first.map(String.init) }
            .flatMap { Base64URL.decode($0) }
        let claims = payload.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let (nonce, isCurrent, isGiven) = self.state.withLock { state in
            let isCurrent = state.nonce > 0 && claims.contains(#""nonce-\#(state.nonce)""#)
            if !isCurrent && state.nonce == 0 || state.random.chance(40) { state.nonce += 1 }
            return (state.nonce, isCurrent, state.random.chance(90))
        }
        let fields: HTTPFields = isGiven ? [.dpopNonce: "nonce-\(nonce)"] : [:]
        guard isCurrent else {
            var fields = fields
            fields[.wwwAuthenticate] = #"DPoP error="use_dpop_nonce""#
            return SimulatedResponse(.unauthorized, fields: fields)
        }
        var response = Self.answer(request)
        response.head.headerFields.append(contentsOf: fields)
        return response
    }
}
