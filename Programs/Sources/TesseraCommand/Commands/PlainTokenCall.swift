// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Tessera
internal import TesseraAgent

/// A fast path for scripts that run `tessera token` before every request.
///
/// It prints a fresh token without the argument parser, which takes longer than everything else, and without a task, a
/// thread or a network request. `Benchmarks/compare --only start` measures it. The whole call may take at most twice as
/// long as a program that only parses one argument with swift-argument-parser.
///
/// In a debug build with a `file:` store, the process takes 13 ms of processor time instead of 33 ms with the argument
/// parser (median of 40 runs, measured with `--store=URI`, which this parser does not read). With `--cache`, it takes
/// 10 ms instead of 34 ms.
struct PlainTokenCall {
    private var store: String?
    private var account: String?
    private var header = false
    private var asksAgent = false
    private var cache = CachedToken.isWanted

    /// Parses `token [--header] [--account NAME] [--store URI] [--agent] [--cache]`, or returns nil for anything else.
    init?(_ arguments: ArraySlice<String>) {
        guard arguments.first == "token" else { return nil }
        var rest = arguments.dropFirst()
        while let word = rest.popFirst() {
            switch word {
            case "--header": self.header = true
            case "--agent": self.asksAgent = true
            case "--cache": self.cache = true
            case "--account", "--store":
                guard let value = rest.popFirst(), !value.hasPrefix("-") else { return nil }
                if word == "--store" { self.store = value } else { self.account = value }
            default:
                return nil
            }
        }
    }

    /// Prints the stored token if it is still fresh.
    ///
    /// - Returns: Whether the token was printed. If not, ``TokenCommand`` runs instead and reports any error.
    /// - Throws: Any error from the agent, which is not called a second time.
    func finish() throws -> Bool {
        let token: Secret
        if let location = try? AgentOptions.location(isAsked: self.asksAgent, store: self.store) {
            token = try AgentClient(location).tokenBlocking(AgentTokenRequest(account: self.account)).accessToken
        } else {
            guard let stored = try? self.storedToken() else { return false }
            token = stored
        }
        token.withUnredacted { Console.print(self.header ? "Authorization: Bearer \($0)" : "\($0)") }
        return true
    }

    private func storedToken() throws -> Secret? {
        guard !self.asksAgent else { return nil }
        let catalog = try StoreOptions.open(self.store)
        let now = WallClock.now
        // TokenCommand saves a token that is not cached yet.
        if self.cache { return CachedToken(of: self.account, in: catalog.uri)?.token(now: now)?.secret }
        return try catalog.recordBlocking(named: self.account)?.freshToken(validFor: .zero, now: now)?.secret
    }
}
