// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
internal import HTTPTypes
internal import TesseraOAuth

extension ProviderState {
    /// Returns the page where the user chooses an account.
    func accountPage(_ attempt: AuthorizationAttempt, key: String) -> ProviderResponse {
        let candidates = self.candidates(attempt)
        let choices = candidates.map { account -> HTML in
            """
            <li><button name="account" value="\(account.subject)"><span class="person">\(self.portrait(account))\
            <span><strong>\(account.name)</strong><span class="soft">\(account.email)</span></span></span></button></li>
            """
        }
        let noAccounts: HTML = "<p class=\"note\">No account belongs to the domain “\(attempt.hostedDomain ?? "")”.</p>"
        let content: HTML = """
            <h1>Choose an account</h1>
            <p class="lead">to continue to \(attempt.client.name)</p>
            <form method="post" action="/o/oauth2/v2/auth/account">
            <input type="hidden" name="attempt" value="\(key)">
            \(choices.isEmpty ? noAccounts : "<ul class=\"choices\">\(HTML.joined(choices))</ul>")
            <div class="actions"><button name="action" value="cancel">Cancel</button></div>
            </form>
            """
        return .page("Choose an account", content, formTarget: Self.formTarget(attempt))
    }

    /// Returns the page where the user grants scopes, with a checkbox for each scope that is not part of signing in.
    func consentPage(
        _ attempt: AuthorizationAttempt,
        _ account: LocalProviderAccount,
        key: String
    ) -> ProviderResponse {
        let fixed = attempt.scopes.filter(ScopeCatalog.isSignIn)
            .map { scope -> HTML in
                "<li><div class=\"fixed\">\(HTML.tick)<span>\(self.words(for: scope))</span></div></li>"
            }
        let chosen = attempt.scopes.filter { !ScopeCatalog.isSignIn($0) }
            .map { scope -> HTML in
                """
                <li><label><input type="checkbox" name="scope" value="\(scope)" checked>\
                <span>\(self.words(for: scope))<code>\(scope)</code></span></label></li>
                """
            }
        let signIn: HTML = "<h2>Signing in allows the app to</h2><ul class=\"scopes\">\(HTML.joined(fixed))</ul>"
        let more: HTML = """
            <h2>The app also requests access to the following. Deselect anything you do not want to allow.</h2>\
            <ul class="scopes">\(HTML.joined(chosen))</ul>
            """
        let content: HTML = """
            <h1>\(attempt.client.name) wants access to your account</h1>
            <div class="person chip">\(self.portrait(account))<span>\(account.name)\
            <span class="soft">\(account.email)</span></span></div>
            <form method="post" action="/o/oauth2/v2/auth/consent">
            <input type="hidden" name="attempt" value="\(key)">
            \(fixed.isEmpty ? "" : signIn)
            \(chosen.isEmpty ? "" : more)
            <p class="note">You will be redirected to <code>\(Self.shown(attempt.redirectURI))</code></p>
            <div class="actions"><button name="action" value="cancel">Cancel</button>\
            <button class="primary" name="action" value="allow">Allow</button></div>
            </form>
            """
        return .page("Grant access", content, formTarget: Self.formTarget(attempt))
    }

    /// Returns the welcome page, which lists the endpoints and accounts.
    func welcome() -> ProviderResponse {
        let rows = [
            ("Issuer", self.baseURL),
            ("Discovery", self.baseURL + "/.well-known/openid-configuration"),
            ("Client", self.options.clients.first?.id ?? "none"),
            ("Drive API", self.baseURL + "/drive/v3/"),
        ]
        .map { row -> HTML in "<tr><td>\(row.0)</td><td><code>\(row.1)</code></td></tr>" }
        let people = self.options.accounts.map { account -> HTML in
            """
            <li><div class="fixed person">\(self.portrait(account))<span>\(account.name)\
            <span class="soft">\(account.email)</span></span></div></li>
            """
        }
        let content: HTML = """
            <h1>The provider is running</h1>
            <p class="lead">It simulates Google’s sign-in, Drive, Gmail and Calendar for demos, offline work and tests.</p>
            <h2>Endpoints</h2><table>\(HTML.joined(rows))</table>
            <h2>Accounts</h2><ul class="scopes">\(HTML.joined(people))</ul>
            """
        return .page("Running", content)
    }

    private func words(for scope: String) -> String { self.scopeCatalog.description(of: scope) ?? scope }

    private func portrait(_ account: LocalProviderAccount) -> HTML {
        "<img src=\"\(Self.picturePath(of: account))\" alt=\"\">"
    }

    private static func formTarget(_ attempt: AuthorizationAttempt) -> String {
        RedirectURI.formActionSource(attempt.redirectURI)
    }

    private static func shown(_ uri: String) -> String { String(uri.prefix { $0 != "?" }.prefix(200)) }

    func pictureURL(of account: LocalProviderAccount) -> String { self.baseURL + Self.picturePath(of: account) }

    static func picturePath(of account: LocalProviderAccount) -> String {
        "/avatars/\(FormParameters.encode(account.subject)).svg"
    }

    func avatar(_ subject: String) -> ProviderResponse {
        guard let account = self.options.accounts.first(where: { FormParameters.encode($0.subject) == subject }) else {
            return .text("No account has this picture.", status: .notFound)
        }
        let initials = [account.givenName, account.familyName].compactMap(\.first).map(String.init).joined()
        let colors = ["#0d6a62", "#7a4b9a", "#a14a32", "#2f5d9b", "#6b6a1f", "#8a3a5e"]
        let color = colors[account.subject.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF } % colors.count]
        return Self.image(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96"><rect width="96" height="96" fill="\(color)"/>\
            <text x="48" y="49" text-anchor="middle" dominant-baseline="central" fill="#ffffff" font-size="38" \
            font-weight="600" font-family="system-ui, DejaVu Sans, sans-serif">\(initials)</text></svg>
            """
        )
    }

    func icon() -> ProviderResponse { Self.image(HTML.mark) }

    private static func image(_ markup: HTML) -> ProviderResponse {
        let headers: HTTPFields = [
            .contentType: "image/svg+xml", .cacheControl: "public, max-age=3600",
            .contentSecurityPolicy: "default-src 'none'",
        ]
        return ProviderResponse(.ok, headers: headers, content: .bytes(Array(markup.text.utf8)))
    }
}
extension AuthorizationFailure {
    /// The error page for a request that must not be redirected to the client.
    var response: ProviderResponse {
        let rows = self.details.map { detail -> HTML in
            "<dt>\(detail.name)</dt><dd><code>\(String(detail.value.prefix(400)))</code></dd>"
        }
        let details: HTML = rows.isEmpty ? "" : "<dl>\(HTML.joined(rows))</dl>"
        let content: HTML = """
            <p class="failure">Error \(self.status.code): \(self.code)</p>
            <h1>\(self.title)</h1>
            <p class="lead">\(self.explanation)</p>
            \(details)
            <p class="note">The app receives no response to such a request. As with Google, the error is only shown here.
            If you develop the app, correct the request. Otherwise, contact its developer.</p>
            """
        return .page("Access blocked", content, status: self.status)
    }
}
#endif
