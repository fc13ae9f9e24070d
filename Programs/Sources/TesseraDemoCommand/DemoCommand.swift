// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import ArgumentParser
internal import TesseraConsole
internal import TesseraLocalProvider
internal import TesseraUserAgents

/// `tessera-provider demo`: a complete sign-in with a provider on this computer.
package struct DemoCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: SiblingProgram.demo.command,
        abstract: SiblingProgram.demo.abstract,
        discussion: """
            Starts a Google-like provider, signs in with your browser, requests the Drive scope when it is needed, \
            lists files, lets the token expire, and signs out. Needs no account and no network, and removes everything \
            at the end. Without a display, or with --headless, completes the pages itself with real HTTP requests.

            Examples:
              tessera demo
              tessera demo --headless
              tessera demo --browser 'firefox --private-window'
            """
    )

    @Flag(help: "Complete the provider's pages with HTTP requests, without a browser.")
    var headless = false

    @Option(
        help: ArgumentHelp(
            "The browser command. %s is replaced by the URL, or the URL is appended.",
            valueName: "cmd"
        )
    )
    var browser: String?

    @Flag(help: "Leave the provider running at the end until you press Ctrl-C.")
    var keepOpen = false

    package init() {}

    package func validate() throws {
        if self.headless, self.browser != nil {
            throw ValidationError("--browser and --headless cannot be used together.")
        }
    }

    package func run() async throws {
        let narrator = Narrator()
        do {
            try await Demo.run(narrator: narrator, browser: self.browserCommand, keepsOpen: self.keepOpen)
        } catch {
            if Task.isCancelled {
                narrator.note("Interrupted. All files were removed.")
                throw ExitCode(130)
            }
            narrator.failed(error)
            let status: ExitStatus = error is LocalProviderError ? .usage : ErrorReport(error).status
            throw ExitCode(status.rawValue)
        }
    }

    /// The browser to open, or nil if there is no display.
    private var browserCommand: BrowserCommand? {
        if self.headless { return nil }
        if let browser { return .command(browser) }
        #if canImport(Darwin)
        return .automatic
        #else
        let environment = ProcessInfo.processInfo.environment
        let isVisible = ["DISPLAY", "WAYLAND_DISPLAY", "BROWSER"].contains { environment[$0]?.isEmpty == false }
        return isVisible ? .automatic : nil
        #endif
    }
}
