// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSignInButton
internal import TesseraOAuth
internal import Testing

#if canImport(FoundationXML)
internal import FoundationXML
#endif

@Suite("Sign-in button HTML")
struct GoogleSignInButtonHTMLTests {
    /// A button for every combination of options.
    static var all: [GoogleSignInButtonHTML] {
        get throws {
            var buttons: [GoogleSignInButtonHTML] = []
            for style in GoogleSignInButtonStyle.allCases {
                for state in GoogleSignInButtonState.allCases {
                    for scheme in GoogleSignInButtonColorScheme.allCases.map(Optional.some) + [nil] {
                        for element in [GoogleSignInButtonHTMLElement.link, .form(fields: ["csrf": "\"><x y='1'>"])] {
                            buttons.append(
                                try GoogleSignInButtonHTML(
                                    action: "/sign-in?a=1&b=2",
                                    scheme: scheme,
                                    style: style,
                                    state: state,
                                    locale: "he",
                                    element: element
                                )
                            )
                        }
                    }
                }
            }
            return buttons
        }
    }

    @Test("Renders a link with its action, language and direction")
    func link() throws {
        let html = try GoogleSignInButtonHTML(action: "/sign-in", style: .wide, locale: "de-AT").html
        #expect(
            html.hasPrefix(
                """
                <a class="google-sign-in google-sign-in-light google-sign-in-wide" lang="de" dir="ltr" href="/sign-in">
                """
            )
        )
        #expect(html.hasSuffix("<span>Über Google anmelden</span></a>"))
        #expect(try GoogleSignInButtonHTML(action: "/", locale: "ar").html.contains("lang=\"ar\" dir=\"rtl\""))
    }

    @Test("Uses a logo image by URL and rejects unsafe URLs")
    func logo() throws {
        let html = try GoogleSignInButtonHTML(action: "/sign-in", style: .wide, logo: "/google-g.svg?a=1&b=2").html
        #expect(html.contains(#"<img src="/google-g.svg?a=1&amp;b=2" alt="" width="20" height="20"><span>"#))
        #expect(!html.contains("<svg"))
        #expect(try GoogleSignInButtonHTML(action: "/", logo: "/g.svg").html.contains(#"alt="Google""#))
        for address in ["javascript:alert(1)", "data:image/svg+xml,x", "//other.example/g.svg", ""] {
            #expect(throws: InvalidRequestError.self) { try GoogleSignInButtonHTML(action: "/", logo: address) }
        }
    }

    @Test("Posts a form with its hidden fields")
    func form() throws {
        let html = try GoogleSignInButtonHTML(
            action: "https://app.example/sign-in",
            element: .form(fields: ["token": "a\"b", "next": "/"])
        )
        .html
        #expect(html.contains("method=\"post\" action=\"https://app.example/sign-in\""))
        #expect(html.contains("<input type=\"hidden\" name=\"next\" value=\"/\"><input type=\"hidden\" name=\"token\""))
        #expect(html.contains("value=\"a&quot;b\""))
        #expect(html.contains("type=\"submit\""))
        #expect(html.hasSuffix("</button></form>"))
    }

    @Test("Escapes a hostile action in its attribute")
    func hostileAction() throws {
        let html = try GoogleSignInButtonHTML(action: "/a?\"><script>alert('1')</script>&b").html
        #expect(html.contains("href=\"/a?&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;b\""))
        #expect(!html.contains("<script"))
    }

    @Test(
        "Rejects actions with schemes other than http and https",
        arguments: [
            "javascript:alert(1)", "JavaScript:alert(1)", "java\nscript:alert(1)", " javascript:alert(1)",
            "\u{1}javascript:alert(1)", "data:text/html,x", "vbscript:x", "mailto:a@b.example", "file:///etc/passwd",
            "http:evil", "https:/evil", "https://", "https://google.com@evil.example/", "//evil.example",
            "/\\evil.example",
            "\\\\evil.example", "1:x", ":x", "", " ", "/a b", "/\u{202E}a",
        ]
    )
    func refused(action: String) {
        #expect(throws: InvalidRequestError.self) { try GoogleSignInButtonHTML(action: action) }
    }

    @Test(
        "Accepts web URLs and paths as actions",
        arguments: [
            "https://app.example/sign-in?next=%2F#x", "HTTP://localhost:8080", "/sign-in", "sign-in", "./sign-in",
            "?go=1",
            "/a:b", "?next=a:b", "#top", "/přihlášení", "https://app.example:443/@me",
        ]
    )
    func taken(action: String) throws {
        #expect(try GoogleSignInButtonHTML(action: action).action == action)
    }

    @Test("Labels an icon-only button and the logo for accessibility")
    func accessibleName() throws {
        let icon = try GoogleSignInButtonHTML(action: "/", style: .icon, locale: "fr").html
        #expect(icon.contains("aria-label=\"Se connecter avec Google\""))
        #expect(icon.contains("aria-hidden=\"true\""))
        #expect(!icon.contains("<span>"))
        let standard = try GoogleSignInButtonHTML(action: "/").html
        #expect(standard.contains("role=\"img\" aria-label=\"Google\""))
        #expect(standard.contains("<span>Sign in</span>"))
    }

    @Test("Renders a disabled button without a target")
    func disabled() throws {
        let link = try GoogleSignInButtonHTML(action: "/", state: .disabled).html
        #expect(link.contains("aria-disabled=\"true\""))
        #expect(!link.contains("href"))
        let form = try GoogleSignInButtonHTML(action: "/", state: .disabled, element: .form()).html
        #expect(form.contains(" disabled=\"disabled\""))
    }

    @Test("Renders no styles, scripts, event handlers or external resources")
    func strictPolicy() throws {
        for html in try Self.all.map(\.html) {
            #expect(!html.contains(" style="))
            #expect(html.firstMatch(of: /\son[a-z]+\s*=/) == nil)
            #expect(!html.contains("<script"))
            #expect(!html.contains("src="))
            #expect(!html.contains("<style"))
        }
        let sheet = GoogleSignInButtonHTML.styleSheet
        #expect(!sheet.contains("url("))
        #expect(!sheet.contains("@import"))
        #expect(!sheet.contains("<"))
    }

    @Test("Renders well-formed markup with the classes of its appearance")
    func markup() throws {
        for button in try Self.all {
            let xml = button.html.replacing(/<input[^>]*>/) { "\($0.output)</input>" }
            #expect(XMLParser(data: Data(xml.utf8)).parse(), "\(xml)")
            #expect(button.html.contains("google-sign-in-\(button.style.rawValue)"))
            #expect(button.html.contains("google-sign-in-\(button.scheme?.rawValue ?? "auto")"))
        }
    }

    @Test("Defines both color schemes, follows the system and shows the focus")
    func styleSheet() {
        let sheet = GoogleSignInButtonHTML.styleSheet
        for color in ["#FFFFFF", "#747775", "#1F1F1F", "#131314", "#8E918F", "#E3E3E3"] {
            #expect(sheet.contains(color))
        }
        #expect(sheet.contains("@media (prefers-color-scheme: dark) { .google-sign-in-auto {"))
        #expect(sheet.contains(":focus-visible"))
        #expect(sheet.contains("min-height: 40px"))
        #expect(sheet.contains("gap: 10px"))
        #expect(sheet.count(where: { $0 == "{" }) == sheet.count(where: { $0 == "}" }))
    }
}
