// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraOAuth

extension URL {
    /// A page that holds nothing: where a request would go for which there is no endpoint.
    static func nowhere(else url: URL) -> URL { URL(string: "about:blank") ?? url }

    /// The URL with parameters behind those that it has.
    ///
    /// Its own query is kept as it is written, without any parameter that comes again behind it, and without its fragment.
    ///
    /// - SeeAlso: [RFC 6749, section 3.1](https://www.rfc-editor.org/rfc/rfc6749.html#section-3.1)
    func adding(_ form: FormParameters) -> URL {
        let text = self.absoluteString.prefix { $0 != "#" }
        let page = text.prefix { $0 != "?" }
        let names = Set(form.parameters.map(\.name))
        // RFC 6749, section 3.1: parameters MUST NOT be included more than once.
        let kept = text.dropFirst(page.count + 1).split(separator: "&")
            .filter { part in
                let name = try? FormParameters(decoding: part).parameters.first?.name
                return name.map { !names.contains($0) } ?? true
            }
        let query = (kept.map(String.init) + [form.encoded]).filter { !$0.isEmpty }.joined(separator: "&")
        return URL(string: query.isEmpty ? String(page) : "\(page)?\(query)") ?? self
    }
}

extension FormParameters {
    /// Creates the parameters of a request in their order, followed by the app's own in the order of their names.
    ///
    /// A parameter that the request has already is not appended again: none is sent twice (RFC 6749, section 3.2).
    init(_ parameters: KeyValuePairs<String, String?>, additional: [String: String]?) {
        self.init()
        for (name, value) in parameters { self.append(name, value) }
        for (name, value) in (additional ?? [:]).sorted(by: { $0.key < $1.key }) { self.appendOnce(name, value) }
    }
}

extension FormParameters {
    /// The parameters by name, as a response's initializer takes them.
    var byName: [String: String] {
        Dictionary(self.parameters.map { ($0.name, $0.value) }) { first, _ in first }
    }
}

/// Scopes as the one text that is sent.
enum ScopeText {
    /// The scopes with a space between; nil where there is none (RFC 6749, section 3.3).
    static func joined(_ scopes: [String]?) -> String? {
        guard let scopes, !scopes.isEmpty else { return nil }
        return scopes.joined(separator: " ")
    }
}
