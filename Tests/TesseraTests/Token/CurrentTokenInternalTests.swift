// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraOAuth
internal import Testing

@testable internal import Tessera

@Suite("The deadlines of an access token")
struct CurrentTokenInternalTests {
    private static let second: Int64 = 1_000_000_000

    /// Returns a token that was obtained now, at an uptime of 0.
    private static func token(lifetime: Int64?, isRenewable: Bool = true) -> CurrentToken<AccessToken> {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let tokens = TokenSet(
            accessToken: Secret("token"),
            obtainedAt: now,
            lifetime: lifetime,
            refreshToken: Secret("refresh"),
            idToken: nil
        )
        return CurrentToken(tokens, dpop: nil, now: now, uptime: 0, isRenewable: isRenewable)
    }

    @Test(
        "Is due 60 seconds or 10% of the lifetime before the end, and expired 10 seconds or 2% before it",
        arguments: [
            (3_600, 3_540_000, 3_590_000), (600, 540_000, 590_000), (500, 450_000, 490_000), (100, 90_000, 98_000),
            (1, 900, 980), (0, 0, 0),
        ] as [(Int64, Int64, Int64)]
    )
    func margins(lifetime: Int64, dueAt: Int64, expiredAt: Int64) {
        let token = Self.token(lifetime: lifetime)
        #expect(token.dueAt == dueAt * 1_000_000)
        #expect(token.expiredAt == expiredAt * 1_000_000)
    }

    @Test("Is due only when it expires if it cannot be renewed")
    func notRenewable() {
        let token = Self.token(lifetime: 3_600, isRenewable: false)
        #expect(token.dueAt == token.expiredAt)
        #expect(token.expiredAt == 3_590 * Self.second)
    }
}
