// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

/// A sign-in button for server-rendered pages.
///
/// Insert ``html`` wherever you need a button, and ``styleSheet`` once in the page's head. Both comply with a strict
/// content security policy. They contain no scripts or style attributes and load no external resources.
///
/// ```swift
/// let button = try GoogleSignInButtonHTML(action: "/sign-in", scheme: nil, style: .wide, locale: "de")
/// page.head += "<style nonce=\"\(nonce)\">\(GoogleSignInButtonHTML.styleSheet)</style>"
/// page.body += button.html
/// ```
public struct GoogleSignInButtonHTML: Sendable, Hashable {
    /// The button's target, which is an `http` or `https` URL or a path.
    public let action: String
    /// The color scheme, or nil to follow the user's system setting.
    public let scheme: GoogleSignInButtonColorScheme?
    /// The content of the button.
    public let style: GoogleSignInButtonStyle
    /// The state of the button.
    ///
    /// A disabled button cannot be followed or submitted.
    public let state: GoogleSignInButtonState
    /// The button's HTML element, which is a link or a form.
    public let element: GoogleSignInButtonHTMLElement
    /// The URL or path of the logo image, or nil to use the logo that Tessera draws.
    public let logo: String?
    let text: ButtonText

    /// Creates a button.
    ///
    /// - Parameters:
    ///   - action: The button's target, which is an `http` or `https` URL or a path on the page's own host.
    ///   - scheme: The color scheme, or nil to follow the user's system setting.
    ///   - style: The content of the button.
    ///   - state: The state of the button.
    ///   - locale: The language's BCP 47 tag. If the language is not supported, the button is in English.
    ///   - element: The button's HTML element, which is a link or a form.
    ///   - logo: An image from Google's download bundle, as an `http` or `https` URL or a path on the page's own host.
    ///     The page's content security policy must allow it in `img-src`.
    /// - Throws: `InvalidRequestError` if `action` or `logo` is not such a URL or path.
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
                reason: "must be an http or https URL or a path on the page's own host"
            )
        }
        if let logo, ButtonTarget(logo) == nil {
            throw InvalidRequestError("logo", reason: "must be an http or https URL or a path on the page's own host")
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

/// The HTML element that a button consists of.
public enum GoogleSignInButtonHTMLElement: Sendable, Hashable {
    /// A link (`<a href>`).
    case link
    /// A form that is submitted with POST. Its hidden fields can hold a token that protects against cross-site request
    /// forgery, for example.
    case form(fields: [String: String] = [:])
}
