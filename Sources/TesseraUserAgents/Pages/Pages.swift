// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// Creates the self-contained pages that the browser shows at the end.
///
/// They contain no data from the redirect.
struct Pages: Sendable {
    /// Generates the nonce for a page's style and script.
    var randomBytes: @Sendable (_ count: Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// Returns the page that corresponds to a reply.
    func page(for reply: RedirectReply) -> LoopbackResponse {
        switch reply {
        case .unrelated: self.unrelated()
        case .completed(let page): self.completion(page)
        case .failed(let error): self.failure(error)
        }
    }

    /// Returns the page for a user who has signed in, with a saved session, or signed out.
    func completion(_ page: CompletionPage) -> LoopbackResponse {
        let strong = { (text: String) in "<strong>\(HTML.text(text))</strong>" }
        let who = page.application.map { "\(strong($0)) is" } ?? "You are"
        guard !page.isSignOut else {
            return self.response(
                status: 200,
                PageTemplate(
                    tone: .good,
                    title: "You’re signed out",
                    sentence: "\(who) now signed out of \(strong(page.provider))."
                )
            )
        }
        let account = page.account.map { " as \(strong($0))" } ?? ""
        let sentence = "\(who) now signed in to \(strong(page.provider))\(account)."
        var parts: [String] = []
        if !page.granted.isEmpty {
            parts.append(Self.list("Allowed", page.granted, icon: PageTemplate.tick, style: "allowed"))
        }
        if !page.missing.isEmpty {
            parts.append(Self.list("Not allowed", page.missing, icon: PageTemplate.dash, style: "missing"))
            parts.append("<p class=\"note\">You can allow the rest later when it is needed.</p>")
        }
        return self.response(
            status: 200,
            PageTemplate(
                tone: .good,
                title: "You’re signed in",
                sentence: sentence,
                details: parts.joined(separator: "\n")
            )
        )
    }

    /// Returns the page for a redirect that was passed to a program that reports the result itself.
    func received() -> LoopbackResponse {
        self.response(
            status: 200,
            PageTemplate(
                tone: .good,
                title: "Return to the program",
                sentence: "The program received the response and is continuing."
            )
        )
    }

    /// Returns the page for a sign-in that failed.
    func failure(_ error: any Error) -> LoopbackResponse {
        let guidance = error as? any ErrorGuidance
        var what = guidance?.description ?? "The program stopped before the sign-in was completed."
        if let last = what.last, last.isLetter { what += "." }
        let advice = guidance?.recoverySuggestion ?? "Return to the program and try again."
        return self.response(
            status: 400,
            PageTemplate(
                tone: .bad,
                title: "The sign-in was not completed",
                sentence: HTML.text(what),
                details: "<p class=\"advice\">\(HTML.text(advice))</p>",
                closing: "You can close this window and return to the program."
            )
        )
    }

    /// Returns the page for a redirect that does not belong to this sign-in.
    ///
    /// The sign-in continues to wait.
    func unrelated() -> LoopbackResponse {
        self.response(
            status: 400,
            PageTemplate(
                tone: .neutral,
                title: "This response does not match the sign-in",
                sentence: "It does not belong to the sign-in that is in progress, so it was ignored.",
                details: """
                    <p class="advice">If you started this sign-in, return to the window in which you signed in, or start \
                    again from the program.</p>
                    """
            )
        )
    }

    /// Returns the page for a request from another user's process.
    ///
    /// The reason is a clause without a period.
    func rejected(reason: String, overrideName: String) -> LoopbackResponse {
        self.response(
            status: 403,
            PageTemplate(
                tone: .bad,
                title: "This request was rejected",
                sentence: "The program that signs you in ignored this request: \(HTML.text(reason)).",
                details: """
                    <p class="advice">The sign-in is still waiting. If this is your browser, for example outside a container \
                    or behind a proxy, start again with \(HTML.text(overrideName)).</p>
                    """
            )
        )
    }

    private func response(status: Int, _ page: PageTemplate) -> LoopbackResponse {
        let nonce = Hexadecimal.text(self.randomBytes(16))
        let policy = """
            default-src 'none'; style-src 'nonce-\(nonce)'; script-src 'nonce-\(nonce)'; base-uri 'none'; \
            form-action 'none'; frame-ancestors 'none'
            """
        return LoopbackResponse(
            status: status,
            headers: [
                ("Content-Type", "text/html; charset=utf-8"),
                ("Content-Security-Policy", policy),
                ("Cache-Control", "no-store"),
                ("Referrer-Policy", "no-referrer"),
                ("X-Content-Type-Options", "nosniff"),
                ("X-Frame-Options", "DENY"),
                ("Cross-Origin-Opener-Policy", "same-origin"),
            ],
            body: Array(page.html(nonce: nonce).utf8)
        )
    }

    private static func list(_ title: String, _ scopes: [Scope], icon: String, style: String) -> String {
        let items = scopes.map { scope in
            let words = ScopeDescription(scope)
            let name = words.isPlain ? HTML.text(words.text) : "<code>\(HTML.text(words.text))</code>"
            return "<li title=\"\(HTML.escaped(scope.rawValue))\">\(icon)<span>\(name)</span></li>"
        }
        return """
            <section class="\(style)"><h2>\(title)</h2>
            <ul>\(items.joined(separator: "\n"))</ul></section>
            """
    }
}

/// A description of a scope for the user.
struct ScopeDescription {
    let text: String
    /// Whether the text is a description rather than the scope's name.
    let isPlain: Bool

    init(_ scope: Scope) {
        let words: [String: String] = [
            "openid": "Know who you are",
            "email": "See your email address",
            "profile": "See your name and picture",
            "address": "See your postal address",
            "phone": "See your phone number",
            "offline_access": "Stay signed in when you are away",
        ]
        let name = scope.rawValue
        // Several providers' scopes are URLs whose last component names the permission.
        let lastPart = name.contains("://") ? name.split(separator: "/").last.map(String.init) ?? name : name
        let alias = ["userinfo.email": "email", "userinfo.profile": "profile"][lastPart] ?? lastPart
        self.text = words[alias] ?? lastPart
        self.isPlain = words[alias] != nil
    }
}

/// Escapes text for use in a page.
enum HTML {
    /// Returns untrusted text as an element.
    ///
    /// The text is escaped, isolated from the surrounding writing direction, and stripped of control characters and
    /// bidirectional controls.
    static func text(_ text: String) -> String { "<bdi>\(self.escaped(text))</bdi>" }

    /// Returns the first `limit` characters of untrusted text, escaped for use in an element or a quoted attribute.
    static func escaped(_ text: String, limit: Int = 500) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(limit) where !scalar.properties.isBidiControl {
            let isSpace = scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
            result.append(isSpace ? " " : scalar)
        }
        return String(result).escapedForHTML
    }
}
