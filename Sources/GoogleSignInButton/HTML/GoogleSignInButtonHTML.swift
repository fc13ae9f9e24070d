// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// The sign-in button for a page that a server writes.
///
/// ``html`` is put where the button stands, as often as it is needed; ``styleSheet`` once into the page's head. Both work
/// under a strict content security policy: no scripts, no style attributes, nothing that is loaded.
///
/// ```swift
/// let button = try GoogleSignInButtonHTML(action: "/sign-in", scheme: nil, style: .wide, locale: "de")
/// page.head += "<style nonce=\"\(nonce)\">\(GoogleSignInButtonHTML.styleSheet)</style>"
/// page.body += button.html
/// ```
public struct GoogleSignInButtonHTML: Sendable, Hashable {
    /// Where the button leads: an `http` or `https` URL, or a path.
    public let action: String
    /// The colours; `nil` for those that the person's system prefers.
    public let scheme: GoogleSignInButtonColorScheme?
    /// How much the button says.
    public let style: GoogleSignInButtonStyle
    /// What the button shows; a disabled one leads nowhere.
    public let state: GoogleSignInButtonState
    /// A link or a form.
    public let element: GoogleSignInButtonHTMLElement
    /// The URL or path of the logo's picture, or nil for the logo that Tessera draws.
    public let logo: String?
    let text: ButtonText

    /// A button that leads to `action`.
    ///
    /// - Parameters:
    ///   - action: An `http` or `https` URL, or a path on the page's own host.
    ///   - scheme: The colours; `nil` for those that the person's system prefers.
    ///   - style: How much the button says.
    ///   - state: What the button shows.
    ///   - locale: The tag of a language (BCP 47); what there is no text in falls back to English.
    ///   - element: A link or a form.
    ///   - logo: A picture from Google's download bundle: an `http` or `https` URL, or a path on the page's own host. The
    ///     page's policy must allow it as `img-src`.
    /// - Throws: `InvalidRequestError` for an `action` or a `logo` that is anything else.
    public init(
        action: String,
        scheme: GoogleSignInButtonColorScheme? = .light,
        style: GoogleSignInButtonStyle = .standard,
        state: GoogleSignInButtonState = .normal,
        locale: String = "en",
        element: GoogleSignInButtonHTMLElement = .link,
        logo: String? = nil
    ) throws(InvalidRequestError) {
        guard let target = ButtonTarget(action) else {
            throw InvalidRequestError(
                "action",
                reason: "not an http or https URL and not a path of the page's own host"
            )
        }
        if let logo, ButtonTarget(logo) == nil {
            throw InvalidRequestError("logo", reason: "not an http or https URL and not a path of the page's own host")
        }
        self.action = target.rawValue
        self.logo = logo
        self.scheme = scheme
        self.style = style
        self.state = state
        self.element = element
        self.text = ButtonText(languages: [locale])
    }
}

/// What a button in a page is.
public enum GoogleSignInButtonHTMLElement: Sendable, Hashable {
    /// A link: `<a href>`.
    case link
    /// A form that is posted, with hidden fields, such as a token against forged requests.
    case form(fields: [String: String] = [:])
}
