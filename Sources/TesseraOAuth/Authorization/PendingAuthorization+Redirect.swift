// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE
internal import TesseraJSON

extension PendingAuthorization {
    /// The longest answer that is read, in bytes.
    private static let maximumLength = 1 << 16

    /// Judges a redirect, the whole URI as it arrived: as ``receive(_:uptime:)-(DeliveredResponse,_)``.
    public func receive(_ redirect: String, uptime: Int64) throws -> RedirectOutcome {
        try self.receive(.redirect(redirect), uptime: uptime)
    }

    /// Judges an answer.
    ///
    /// It counts as ours when it came to our redirect URI, in the way that was asked for, with our `state`; a signed
    /// response has it inside. Anything else may be a forgery, an error page's probe or another attempt's answer, and
    /// leaves this attempt open: a forged `?error=…` ends nothing.
    ///
    /// - Parameters:
    ///   - delivered: what arrived.
    ///   - uptime: the runtime's uptime now, for the deadline.
    /// - Returns: the code's response, an answer whose signature is to be checked first, or why it is not ours.
    /// - Throws: `OAuthError` where the provider said no; `ProtocolViolation` where the answer is ours and breaks the
    ///   protocol (another issuer, a token in the front channel, no code), or the attempt is over. All of these are
    ///   final.
    public func receive(_ delivered: DeliveredResponse, uptime: Int64) throws -> RedirectOutcome {
        let parameters: FormParameters
        do {
            parameters = try self.parameters(delivered)
            try self.checkState(parameters)
        } catch {
            return .notOurs(error)
        }
        guard uptime < self.draft.deadline, self.claim() else {
            throw ProtocolViolation(
                .redirectReuse,
                expected: "one redirect, while the attempt is open",
                section: "RFC 9700, section 4.2.4"
            )
        }
        return try self.draft.outcome(parameters)
    }

    /// What came, read where the answer was asked for and nowhere else.
    private func parameters(_ delivered: DeliveredResponse) throws(ProtocolViolation) -> FormParameters {
        let uri = delivered.uri
        guard uri.utf8.count <= Self.maximumLength else {
            throw Self.format("at most \(Self.maximumLength) bytes", "\(uri.utf8.count)")
        }
        let ours = self.request.redirectURI
        guard let parts = URIParts(uri), ours.matches(parts) else { throw Self.wrongURI }
        let mode = self.request.effectiveResponseMode
        let form: FormParameters
        do {
            let query = try FormParameters(redirect: parts.query ?? "")
            // The redirect URI's own query has to be there.
            let own = try FormParameters(decoding: ours.parts.query ?? "")
            guard own.parameters.allSatisfy(query.parameters.contains) else { throw Self.wrongURI }
            switch delivered {
            case .redirect where !mode.isFormPost:
                form = mode == .fragment ? try FormParameters(redirect: parts.fragment ?? "") : query
            case .formPost(_, let body) where mode.isFormPost:
                guard body.utf8.count <= Self.maximumLength else {
                    throw Self.format("at most \(Self.maximumLength) bytes", "\(body.utf8.count)")
                }
                form = try FormParameters(redirect: body)
            default:
                throw Self.format("an answer by \(mode.rawValue)", delivered.description)
            }
        } catch let violation as ProtocolViolation {
            throw violation
        } catch {
            let reason = (error as? FormDecodingError)?.rawValue
            throw Self.format("form-encoded parameters", reason ?? "another text")
        }
        // RFC 6749, section 3.1: parameters MUST NOT be included more than once.
        if let name = form.repeatedName { throw Self.format("each parameter once", "\(name) twice") }
        return form
    }

    private func checkState(_ parameters: FormParameters) throws(ProtocolViolation) {
        var state = parameters["state"]
        if self.request.effectiveResponseMode.isJWT, let response = parameters["response"] {
            // Nothing in there is believed before its signature is checked; only our own state is looked for.
            state = try CompactJWS(parsing: response).claims()["state"]?.string
        }
        guard let state else { throw Self.wrongState("none") }
        guard self.draft.state.withUnredacted({ ConstantTime.equal(state, $0) }) else {
            throw Self.wrongState("another state")
        }
    }

    private static var wrongURI: ProtocolViolation {
        ProtocolViolation(
            .redirectURI,
            expected: "the redirect URI of the request",
            section: "RFC 6749, section 3.1.2"
        )
    }

    private static func wrongState(_ actual: String) -> ProtocolViolation {
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
}
