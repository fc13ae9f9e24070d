// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

extension GoogleSignInButtonHTML {
    /// The button's markup.
    public var html: String {
        switch self.element {
        case .link: self.link
        case .form(let fields): self.form(fields)
        }
    }

    private var link: String {
        // HTML has no disabled links. A link without `href` cannot be followed, but screen readers still announce it.
        let target =
            self.state == .disabled ? [("role", "link"), ("aria-disabled", "true")] : [("href", self.action)]
        return "<a\(self.attributes(target))>\(self.content)</a>"
    }

    private func form(_ fields: [String: String]) -> String {
        let hidden = fields.sorted { $0.key < $1.key }
            .map { "<input\(Self.html([("type", "hidden"), ("name", $0.key), ("value", $0.value)]))>" }
        let form = [("class", "google-sign-in-form"), ("method", "post"), ("action", self.action)]
        let disabled = self.state == .disabled ? [("disabled", "disabled")] : []
        let button = self.attributes([("type", "submit")] + disabled)
        return """
            <form\(Self.html(form))>\(hidden.joined())<button\(button)>\(self.content)</button></form>
            """
    }

    /// Returns the attributes that a link and a form button share, followed by `further`.
    private func attributes(_ further: [(name: String, value: String)]) -> String {
        var classes = ["google-sign-in", "google-sign-in-\(self.scheme?.rawValue ?? "auto")"]
        classes.append("google-sign-in-\(self.style.rawValue)")
        if self.state != .normal { classes.append("google-sign-in-\(self.state.rawValue)") }
        var attributes = [
            ("class", classes.joined(separator: " ")), ("lang", self.text.language),
            ("dir", self.text.isRightToLeft ? "rtl" : "ltr"),
        ]
        if self.style == .icon { attributes.append(("aria-label", self.text.signInWithGoogle)) }
        return Self.html(attributes + further)
    }

    /// The logo's markup.
    ///
    /// Screen readers announce the logo if the text does not mention Google.
    private var picture: String {
        guard let logo = self.logo else { return self.style == .standard ? GoogleLogo.namedSVG : GoogleLogo.svg }
        let alternative = self.style == .standard ? "Google" : ""
        return "<img\(Self.html([("src", logo), ("alt", alternative), ("width", "20"), ("height", "20")]))>"
    }

    private var content: String {
        let logo = self.picture
        guard let words = self.text.words(self.style) else { return logo }
        return "\(logo)<span>\(words.escapedForHTML)</span>"
    }

    /// Returns attributes with quoted values, each preceded by a space.
    private static func html(_ attributes: [(name: String, value: String)]) -> String {
        attributes.map { " \($0.name)=\"\($0.value.escapedForHTML)\"" }.joined()
    }
}

/// A button's target, which is an `http` or `https` URL or a relative reference to the page's own host.
struct ButtonTarget: Sendable, Hashable {
    let rawValue: String

    init?(_ text: String) {
        // Before looking for a scheme, browsers remove line breaks, tabs and surrounding spaces, and treat `\` as `/`.
        let isClean = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .spaceSeparator, .lineSeparator, .paragraphSeparator: false
            default: scalar != "\\"
            }
        }
        guard isClean, !text.isEmpty, !text.hasPrefix("//") else { return nil }
        let beginning = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // RFC 3986, section 4.2: a colon in the first path segment ends a scheme.
        if let colon = beginning.firstIndex(of: ":") {
            let scheme = beginning[..<colon].lowercased()
            let rest = text[text.index(after: colon)...]
            guard scheme == "http" || scheme == "https", rest.hasPrefix("//") else { return nil }
            let host = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            // User information before the host could disguise the real host.
            guard !host.isEmpty, !host.contains("@") else { return nil }
        }
        self.rawValue = text
    }
}
