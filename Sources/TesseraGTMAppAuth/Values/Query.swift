// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraOAuth

extension URL {
    /// Returns `about:blank`, for requests whose endpoint is missing.
    ///
    /// The `url` is a fallback that is never needed in practice.
    static func nowhere(else url: URL) -> URL { URL(string: "about:blank") ?? url }

    /// Returns the URL with parameters appended to its query.
    ///
    /// The existing query stays unchanged, except that parameters with the same name as an appended one are removed.
    /// The fragment is removed as well, because the browser would add it to the redirect.
    ///
    /// - SeeAlso: [RFC 6749, section 3.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.1)
    func adding(_ form: FormParameters) -> URL {
        let text = self.absoluteString.prefix { $0 != "#" }
        let page = text.prefix { $0 != "?" }
        let names = Set(form.parameters.map(\.name))
        // RFC 6749, section 3.1: parameters MUST NOT be included more than once.
        let existing = text.dropFirst(page.count + 1).split(separator: "&")
            .filter { part in
                let name = try? FormParameters(decoding: part).parameters.first?.name
                return name.map { !names.contains($0) } ?? true
            }
        let query = (existing.map(String.init) + [form.percentEncoded]).filter { !$0.isEmpty }.joined(separator: "&")
        return URL(string: query.isEmpty ? String(page) : "\(page)?\(query)") ?? self
    }
}

extension FormParameters {
    /// Creates a request's parameters in the given order, followed by the additional parameters sorted by name.
    ///
    /// An additional parameter is ignored if the request already contains it (RFC 6749, section 3.2).
    init(_ parameters: KeyValuePairs<String, String?>, additional: [String: String]?) {
        self.init()
        for (name, value) in parameters { self.append(name, value) }
        for (name, value) in (additional ?? [:]).sorted(by: { $0.key < $1.key }) { self.appendOnce(name, value) }
    }
}

extension FormParameters {
    /// The parameters as ``OIDURLQueryComponent`` encodes them.
    ///
    /// In contrast to ``encoded``, a space is `%20`, as in AppAuth.
    var percentEncoded: String {
        let query = OIDURLQueryComponent()
        for parameter in self.parameters { query.addParameter(parameter.name, value: parameter.value) }
        return query.urlEncodedParameters()
    }

    /// The parameters, keyed by name.
    ///
    /// If a name occurs twice, the first value wins.
    var byName: [String: String] {
        Dictionary(self.parameters.map { ($0.name, $0.value) }) { first, _ in first }
    }
}
