// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth

/// A token source that issues numbered tokens and records its calls.
final class ScriptedSource: AccessTokenSource {
    private struct State {
        var number = 1
        var journal: [String] = []
    }

    let authorizedOrigins: [OriginPattern]
    private let hasNewer: Bool
    private let dpop: DPoPProver?
    private let state = Mutex(State())

    init(_ origins: [String] = ["https://api.example"], hasNewer: Bool = true, dpop: DPoPProver? = nil) throws {
        self.authorizedOrigins = try origins.map { try OriginPattern($0) }
        self.hasNewer = hasNewer
        self.dpop = dpop
    }

    var journal: [String] { self.state.withLock { $0.journal } }

    func accessToken() async throws -> AccessToken {
        self.state.withLock { state in
            state.journal.append("token")
            return self.token(state.number)
        }
    }

    func replacement(forRejected token: AccessToken) async throws -> AccessToken {
        self.state.withLock { state in
            state.journal.append("rejected")
            if self.hasNewer, token == self.token(state.number) { state.number += 1 }
            return self.token(state.number)
        }
    }

    private func token(_ number: Int) -> AccessToken {
        AccessToken(Secret("token-\(number)"), dpop: self.dpop, expiresAt: nil)
    }
}
