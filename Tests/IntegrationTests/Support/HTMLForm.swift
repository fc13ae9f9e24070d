// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The first form of a page, with its action and its prefilled fields.
struct HTMLForm: Sendable {
    let action: String
    private(set) var fields: [(name: String, value: String)]

    /// Parses the first form of a page, without its buttons.
    init(_ page: CookieBrowser.Page) throws {
        guard let form = page.text.firstMatch(of: /<form\b[^>]*>(.*?)<\/form>/.dotMatchesNewlines()) else {
            throw CookieBrowserError(url: page.url, reason: "no form, status \(page.status)")
        }
        self.action = page.url
        self.fields = form.1.matches(of: /<input\b[^>]*>/.dotMatchesNewlines())
            .compactMap { input in
                let type = Self.attribute("type", of: input.output)
                guard type != "submit", let name = Self.attribute("name", of: input.output) else { return nil }
                return (name, Self.attribute("value", of: input.output) ?? "")
            }
    }

    /// Returns whether the form has a field with this name.
    func has(_ name: String) -> Bool { self.fields.contains { $0.name == name } }

    /// Returns a copy of the form with this field filled in or this button pressed.
    func with(_ name: String, _ value: String) -> HTMLForm {
        var form = self
        form.fields.removeAll { $0.name == name }
        form.fields.append((name, value))
        return form
    }

    private static func attribute(_ name: String, of tag: Substring) -> String? {
        tag.matches(of: /([a-zA-Z-]+)="([^"]*)"/).first { $0.1 == name }.map { Self.text($0.2) }
    }

    /// Returns an attribute's value with its character references decoded.
    private static func text(_ attribute: Substring) -> String {
        [("&quot;", "\""), ("&#x27;", "'"), ("&#39;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
            .reduce(String(attribute)) { $0.replacing($1.0, with: $1.1) }
    }
}
