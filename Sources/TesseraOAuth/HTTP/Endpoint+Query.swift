// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

extension Endpoint {
    /// The URL with parameters behind those that it has: its own query is kept, and none of its names comes again.
    ///
    /// - SeeAlso: [RFC 6749, section 3.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.1)
    func url(with parameters: FormParameters, name: String) throws -> String {
        guard let query = self.parts.query else { return self.url + "?" + parameters.encoded }
        let names: Set<String>
        do {
            names = Set(try FormParameters(decoding: query).parameters.map(\.name))
        } catch {
            throw ProtocolViolationError(
                .endpoint,
                expected: "\(name) with a form-encoded query",
                actual: error.rawValue,
                section: "RFC 6749, section 3.1"
            )
        }
        if let twice = parameters.parameters.map(\.name).first(where: names.contains) {
            throw InvalidRequestError(twice, reason: "\(name) would have this parameter twice")
        }
        return self.url + (query.isEmpty ? "" : "&") + parameters.encoded
    }
}
