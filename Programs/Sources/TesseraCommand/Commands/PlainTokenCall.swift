// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Tessera
internal import TesseraAgent

/// `tessera token` as scripts call it for every request: a fresh token without the argument parser, which takes
/// longer than all the rest, without a task, a thread or a network.
///
/// `Benchmarks/compare --only start` measures it: the whole call may take twice as long as a program that does nothing but
/// parse one argument with swift-argument-parser.
///
/// The gain of the second parser, as the processor time of the whole process, median of 40 runs of a debug
/// build with a `file:` store: 13 ms in place of 33 ms through the parser (`--store=URI`, which this does not read). With
/// `--cache` it is 10 ms in place of 34 ms.
struct PlainTokenCall {
    private var store: String?
    private var account: String?
    private var header = false
    private var asksAgent = false
    private var cache = KeptToken.isWanted

    /// Reads `token [--header] [--account NAME] [--store URI] [--agent] [--cache]`, nil for anything else.
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

    /// Prints the token if it is at hand and fresh.
    ///
    /// - Returns: whether it was; else, also after an error, ``TokenCommand`` does it all and says what is wrong.
    /// - Throws: what the agent said: it is not asked twice.
    func finish() throws -> Bool {
        let token: Secret
        if let place = try? AgentOptions.place(isAsked: self.asksAgent, store: self.store) {
            token = try AgentClient(place).tokenBlocking(AgentTokenRequest(account: self.account)).accessToken
        } else {
            guard let kept = try? self.keptToken() else { return false }
            token = kept
        }
        token.withUnredacted { Console.print(self.header ? "Authorization: Bearer \($0)" : "\($0)") }
        return true
    }

    private func keptToken() throws -> Secret? {
        guard !self.asksAgent else { return nil }
        let shelf = try StoreOptions.open(self.store)
        let now = WallClock.now
        // TokenCommand saves a token that is not cached yet.
        if self.cache { return KeptToken(of: self.account, in: shelf.uri)?.token(now: now)?.secret }
        return try shelf.recordAtOnce(named: self.account)?.freshToken(validFor: .zero, now: now)?.secret
    }
}
