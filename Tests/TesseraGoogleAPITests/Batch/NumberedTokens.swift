// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// A token source that replaces a rejected token with the next number, up to a maximum.
final class NumberedTokens: AccessTokenSource {
    struct Exhausted: Error {}

    let authorizedOrigins: [OriginPattern]
    private let last: Int
    private let number = Mutex(1)

    init(last: Int = 9) throws {
        self.authorizedOrigins = [try OriginPattern("https://notes.googleapis.com")]
        self.last = last
    }

    func accessToken() async throws -> AccessToken { Self.token(self.number.withLock { $0 }) }

    func replacement(forRejected token: AccessToken) async throws -> AccessToken {
        try self.number.withLock { number in
            guard number < self.last else { throw Exhausted() }
            number += 1
            return Self.token(number)
        }
    }

    private static func token(_ number: Int) -> AccessToken { AccessToken(Secret("token-\(number)"), expiresAt: nil) }
}
