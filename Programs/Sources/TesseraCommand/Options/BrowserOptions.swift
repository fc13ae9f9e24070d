// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraUserAgents

/// The options for opening the provider's page and receiving the redirect.
struct BrowserOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The browser command. %s is replaced by the URL, or the URL is appended. (default: $BROWSER, or the system's)",
            valueName: "cmd"
        )
    )
    var browser: String?

    @Flag(help: "Print the URL instead of opening a browser, and paste the redirect.")
    var noBrowser = false

    @Option(
        help: ArgumentHelp(
            "The exact redirect URI: http://127.0.0.1:PORT/PATH. It is saved. (default: a random port)",
            valueName: "uri"
        )
    )
    var redirectURI: String?

    @Flag(help: "Accept the redirect from processes of any user.")
    var allowRedirectsFromAnyUser = false

    @Option(help: ArgumentHelp("The time limit for signing in: 30s, 5m, 1h.", valueName: "time"))
    var timeout: TimeSpan = .fiveMinutes

    func validate() throws {
        if self.noBrowser, self.browser != nil {
            throw ValidationError("--browser and --no-browser cannot be used together.")
        }
    }

    /// The first of these options on the command line, none of which can be used without a browser.
    var firstGiven: String? {
        if self.browser != nil { return "--browser" }
        if self.noBrowser { return "--no-browser" }
        if self.redirectURI != nil { return "--redirect-uri" }
        if self.allowRedirectsFromAnyUser { return "--allow-redirects-from-any-user" }
        return self.timeout.duration == TimeSpan.fiveMinutes.duration ? nil : "--timeout"
    }

    /// Returns the browser, which prints instructions to standard error.
    ///
    /// Without `--redirect-uri`, it listens at `registered`.
    func userAgent(_ progress: SignInProgress, registered: String? = nil) throws -> SystemBrowser {
        let command: BrowserCommand =
            if self.noBrowser { .none } else if let browser { .command(browser) } else { .automatic }
        var redirect = registered.flatMap { try? LoopbackRedirect(redirectURI: $0) } ?? LoopbackRedirect()
        if let redirectURI {
            do { redirect = try LoopbackRedirect(redirectURI: redirectURI) } catch {
                throw CommandError.usage("--redirect-uri", error)
            }
        }
        var browser = SystemBrowser(
            command: command,
            redirect: redirect,
            pasted: self.noBrowser || Console.canAsk ? .standardInput { progress.refused($0) } : nil,
            insecure: self.allowRedirectsFromAnyUser ? .redirectsFromAnyUser : [],
            announce: { progress.announce($0) },
            warn: { progress.refused($0) }
        )
        browser.overrideName = "--allow-redirects-from-any-user"
        return browser
    }
}

/// The option for the pages that the provider shows.
struct PromptOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The page that the provider shows: login, consent, select_account or none.",
            valueName: "prompt"
        ),
        completion: .list(Self.values)
    )
    var prompt: [String] = []

    private static let values = ["login", "consent", "select_account", "none"]

    func validate() throws {
        guard let unknown = self.prompt.first(where: { !Self.values.contains($0) }) else { return }
        throw ValidationError(
            "--prompt \(UntrustedText.printable(unknown)) is unknown. Use \(Self.values.joined(separator: ", "))."
        )
    }

    var prompts: [Prompt] { self.prompt.map { Prompt(rawValue: $0) } }
}
