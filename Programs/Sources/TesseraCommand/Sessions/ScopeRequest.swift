// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
package import Tessera
internal import TesseraConsole
package import TesseraOAuth

/// Requests scopes that a command needs and the session does not have.
package enum ScopeRequest {
    /// Asks the user on a terminal whether to request scopes, and requests them in a browser.
    ///
    /// Without a terminal, nothing is requested.
    ///
    /// - Parameters:
    ///   - scopes: The scopes.
    ///   - record: The session's record.
    ///   - catalog: The sessions.
    /// - Returns: Whether the user granted all of the scopes.
    /// - Throws: Any error that the sign-in throws.
    package static func grant(
        _ scopes: [Scope],
        to record: SessionRecord,
        in catalog: SessionCatalog
    ) async throws -> Bool {
        guard !scopes.isEmpty, Console.canAsk else { return false }
        let names = scopes.map(\.rawValue).joined(separator: " ")
        Console.note("tessera: \(AccountReport(record).name) has not granted \(names), which this command needs.")
        Console.noteRaw("Request it in the browser now? [y/N] ")
        let response = try await FileBytes.interruptible { readLine() }
        guard ["y", "yes"].contains(response?.trimmingWhitespace.lowercased()) else { return false }
        let progress = SignInProgress(isVerbose: false)
        defer { progress.stopCounting() }
        let browser = try BrowserOptions.parse([])
        let redirectURI = try await catalog.redirectURI(of: record)
        let signIn = catalog.signIn(
            for: record,
            userAgent: try browser.userAgent(progress, registered: redirectURI)
        )
        guard let session = try await signIn.restore(record.account) else { return false }
        var options = SignInOptions(applicationName: "tessera")
        options.redirectURI = redirectURI
        options.timeout = browser.timeout.duration
        do {
            try await signIn.addScopes(scopes, to: session, options: options)
        } catch SignInError.Code.scopesAlreadyGranted {
            // Another process requested them in the meantime.
        }
        try await CachedToken.forgetAll()
        return scopes.allSatisfy { session.grantedScopes.contains($0) }
    }
}
