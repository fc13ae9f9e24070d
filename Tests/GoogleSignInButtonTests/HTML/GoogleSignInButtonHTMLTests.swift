// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import GoogleSignInButton
internal import TesseraOAuth
internal import Testing

#if canImport(FoundationXML)
internal import FoundationXML
#endif

@Suite("Sign-in button in a page")
struct GoogleSignInButtonHTMLTests {
    /// One of every kind.
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

    @Test("A link leads to its action, in its language and direction")
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

    @Test("Shows the picture of the logo that it is given, and rejects one that is not a page's or a host's")
    func logo() throws {
        let html = try GoogleSignInButtonHTML(action: "/sign-in", style: .wide, logo: "/google-g.svg?a=1&b=2").html
        #expect(html.contains(#"<img src="/google-g.svg?a=1&amp;b=2" alt="" width="20" height="20"><span>"#))
        #expect(!html.contains("<svg"))
        #expect(try GoogleSignInButtonHTML(action: "/", logo: "/g.svg").html.contains(#"alt="Google""#))
        for address in ["javascript:alert(1)", "data:image/svg+xml,x", "//other.example/g.svg", ""] {
            #expect(throws: InvalidRequestError.self) { try GoogleSignInButtonHTML(action: "/", logo: address) }
        }
    }

    @Test("A form is posted to its action, with its hidden fields")
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

    @Test("A hostile action stays within its attribute")
    func hostileAction() throws {
        let html = try GoogleSignInButtonHTML(action: "/a?\"><script>alert('1')</script>&b").html
        #expect(html.contains("href=\"/a?&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;b\""))
        #expect(!html.contains("<script"))
    }

    @Test(
        "Schemes other than http and https, and what a browser reads as one, are refused",
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
        "URLs of the web and paths are taken",
        arguments: [
            "https://app.example/sign-in?next=%2F#x", "HTTP://localhost:8080", "/sign-in", "sign-in", "./sign-in",
            "?go=1",
            "/a:b", "?next=a:b", "#top", "/přihlášení", "https://app.example:443/@me",
        ]
    )
    func taken(action: String) throws {
        #expect(try GoogleSignInButtonHTML(action: action).action == action)
    }

    @Test("A button that is its logo alone has a name, and so has one that does not say Google")
    func accessibleName() throws {
        let icon = try GoogleSignInButtonHTML(action: "/", style: .icon, locale: "fr").html
        #expect(icon.contains("aria-label=\"Se connecter avec Google\""))
        #expect(icon.contains("aria-hidden=\"true\""))
        #expect(!icon.contains("<span>"))
        let standard = try GoogleSignInButtonHTML(action: "/").html
        #expect(standard.contains("role=\"img\" aria-label=\"Google\""))
        #expect(standard.contains("<span>Sign in</span>"))
    }

    @Test("A disabled button leads nowhere")
    func disabled() throws {
        let link = try GoogleSignInButtonHTML(action: "/", state: .disabled).html
        #expect(link.contains("aria-disabled=\"true\""))
        #expect(!link.contains("href"))
        let form = try GoogleSignInButtonHTML(action: "/", state: .disabled, element: .form()).html
        #expect(form.contains(" disabled=\"disabled\""))
    }

    @Test("No button has a style attribute, a script, an event handler, or anything that is loaded")
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

    @Test("Every button is well formed and names the classes of its look")
    func markup() throws {
        for button in try Self.all {
            let xml = button.html.replacing(/<input[^>]*>/) { "\($0.output)</input>" }
            #expect(XMLParser(data: Data(xml.utf8)).parse(), "\(xml)")
            #expect(button.html.contains("google-sign-in-\(button.style.rawValue)"))
            #expect(button.html.contains("google-sign-in-\(button.scheme?.rawValue ?? "auto")"))
        }
    }

    @Test("The style sheet has both schemes' colours, follows the system where it is asked to, and shows the focus")
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
