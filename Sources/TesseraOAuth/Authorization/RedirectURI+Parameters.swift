// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

extension RedirectURI {
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
        ProtocolViolationError(
            .redirectURI,
            expected: "the redirect URI of the request",
            section: "RFC 6749, section 3.1.2"
        )
    }

    private static func format(_ expected: String, _ actual: String) -> ProtocolViolationError {
        ProtocolViolationError(.redirectFormat, expected: expected, actual: actual, section: "RFC 6749, section 3.1")
    }
}
