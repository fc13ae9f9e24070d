// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth
internal import TesseraSupport

extension SessionRecord {
    /// Writes down that a refresh was answered, while the tokens are still those of before.
    mutating func count(_ response: TokenResponse, at date: Date) {
        self.generation += 1
        self.refreshMark = nil
        self.history.lastRefreshAt = date
        self.history.refreshCount += 1
        if let replacement = response.refreshToken, replacement != self.tokens?.refreshToken {
            self.history.refreshTokenReplacedAt = date
        }
        if let seconds = response.refreshTokenExpiresIn {
            self.history.refreshTokenExpiresAt = date.addingTimeInterval(Double(seconds))
        }
    }
}
