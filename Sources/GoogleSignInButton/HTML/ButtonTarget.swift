// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Where a button may lead: an `http` or `https` URL, or a relative reference that stays on the page's own host.
struct ButtonTarget: Sendable, Hashable {
    let rawValue: String

    init?(_ text: String) {
        // Browsers drop line breaks and tabs, and blanks at the ends, before they look for a scheme; and take \ for /.
        let isClean = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .spaceSeparator, .lineSeparator, .paragraphSeparator: false
            default: scalar != "\\"
            }
        }
        guard isClean, !text.isEmpty, !text.hasPrefix("//") else { return nil }
        let beginning = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        // RFC 3986, section 4.2: a colon before the first slash ends a scheme.
        if let colon = beginning.firstIndex(of: ":") {
            let scheme = beginning[..<colon].lowercased()
            let rest = text[text.index(after: colon)...]
            guard scheme == "http" || scheme == "https", rest.hasPrefix("//") else { return nil }
            let host = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            // A name before the host would make one host look like another.
            guard !host.isEmpty, !host.contains("@") else { return nil }
        }
        self.rawValue = text
    }
}
