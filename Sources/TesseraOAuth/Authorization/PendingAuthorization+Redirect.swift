// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

extension PendingAuthorization {
    /// The longest redirect that is read, in bytes.
    private static let maximumLength = 1 << 16

    /// Judges a redirect, the whole URI as it arrived.
    ///
    /// A redirect counts as ours when it came to our redirect URI with our `state`. Anything else may be a forgery, an
    /// error page's probe or another attempt's answer, and leaves this attempt open: a forged `?error=…` ends nothing.
    ///
    /// - Parameters:
    ///   - redirect: the redirect.
    ///   - uptime: the runtime's uptime now, for the deadline.
    /// - Returns: the code's response, or why the redirect is not ours.
    /// - Throws: `OAuthError` where the provider said no; `ProtocolViolation` where the answer is ours and breaks the
    ///   protocol (another issuer, a token in the front channel, no code), or the attempt is over. All of these are
    ///   final.
    public func receive(_ redirect: String, uptime: Int64) throws -> RedirectOutcome {
        let query: FormParameters
        switch self.query(redirect) {
        case .success(let parameters): query = parameters
        case .failure(let violation): return .notOurs(violation)
        }
        // RFC 6749, section 3.1: parameters MUST NOT be included more than once.
        if let name = query.repeatedName {
            return .notOurs(Self.format("each parameter once", "\(name) twice"))
        }
        guard let state = query["state"] else { return .notOurs(self.wrongState("none")) }
        guard ConstantTime.equal(state, self.state.withUnredacted { $0 }) else {
            return .notOurs(self.wrongState("another state"))
        }
        guard uptime < self.deadline, self.claim() else {
            throw ProtocolViolation(
                .redirectReuse,
                expected: "one redirect, while the attempt is open",
                section: "RFC 9700, section 4.2.4"
            )
        }
        return .response(try self.response(query))
    }

    private func query(_ redirect: String) -> Result<FormParameters, ProtocolViolation> {
        guard redirect.utf8.count <= Self.maximumLength else {
            return .failure(Self.format("at most \(Self.maximumLength) bytes", "\(redirect.utf8.count)"))
        }
        let other = ProtocolViolation(
            .redirectURI,
            expected: "the redirect URI of the request",
            section: "RFC 6749, section 3.1.2"
        )
        let ours = self.request.redirectURI
        guard let parts = URIParts(redirect), ours.matches(parts) else { return .failure(other) }
        do {
            // What stands in the fragment is never read; the redirect URI's own query has to be there.
            let query = try FormParameters(decoding: parts.query ?? "")
            let own = try FormParameters(decoding: ours.parts.query ?? "")
            return own.parameters.allSatisfy(query.parameters.contains) ? .success(query) : .failure(other)
        } catch {
            return .failure(Self.format("form-encoded parameters", error.rawValue))
        }
    }

    private func response(_ query: FormParameters) throws -> AuthorizationResponse {
        try self.checkIssuer(query.values("iss").first)
        if let code = query["error"] {
            throw OAuthError(
                OAuthError.Code(rawValue: code.isEmpty ? "invalid_request" : code),
                errorDescription: query["error_description"],
                errorURI: query["error_uri"]
            )
        }
        if query["response"] != nil { throw Self.noCode("plain parameters", "a JARM response that was not asked for") }
        if let name = ["access_token", "id_token", "token_type"].first(where: { query[$0] != nil }) {
            throw Self.noCode("a code and no token in the redirect", name)
        }
        guard let code = query["code"] else { throw Self.noCode("a code or an error", "neither") }
        guard !code.isEmpty, code.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw Self.noCode(
                "a code of printable ASCII characters",
                code.isEmpty ? "an empty code" : "other characters"
            )
        }
        return AuthorizationResponse(code: Secret(code), binding: self.binding)
    }

    /// RFC 9207, section 2.4: an `iss` has to be ours, announced or not; announced, it has to be there.
    private func checkIssuer(_ iss: String?) throws(ProtocolViolation) {
        if iss == nil, !self.issParameterSupported { return }
        guard let iss, iss.isExactly(self.issuer.url) else {
            throw ProtocolViolation(
                .redirectIssuer,
                expected: "iss to be \"\(self.issuer.url)\"",
                actual: iss.map { "\"\($0)\"" } ?? "none",
                section: "RFC 9207, section 2.4"
            )
        }
    }

    private func wrongState(_ actual: String) -> ProtocolViolation {
        ProtocolViolation(
            .state,
            expected: "the state of this attempt",
            actual: actual,
            section: "RFC 6749, section 10.12"
        )
    }

    private static func format(_ expected: String, _ actual: String) -> ProtocolViolation {
        ProtocolViolation(.redirectFormat, expected: expected, actual: actual, section: "RFC 6749, section 3.1")
    }

    private static func noCode(_ expected: String, _ actual: String) -> ProtocolViolation {
        ProtocolViolation(.authorizationCode, expected: expected, actual: actual, section: "RFC 6749, section 4.1.2")
    }
}
