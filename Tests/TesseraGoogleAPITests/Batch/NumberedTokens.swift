// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// A source whose token is replaced by the next number when it is rejected, up to a last one.
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

    func refused(_ token: AccessToken) async throws -> AccessToken {
        try self.number.withLock { number in
            guard number < self.last else { throw Exhausted() }
            number += 1
            return Self.token(number)
        }
    }

    private static func token(_ number: Int) -> AccessToken { AccessToken(Secret("token-\(number)"), expiresAt: nil) }
}
