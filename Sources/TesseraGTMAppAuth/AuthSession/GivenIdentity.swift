// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Who a session's person is, as the program says; an ID token knows better.
struct GivenIdentity: Sendable {
    let id: String?
    let email: String?
    /// As it was written: an archive keeps it so.
    let isVerified: String?

    var isEmailVerified: Bool { self.isVerified.map { Self.isTrue($0) } ?? false }

    /// What `NSString.boolValue` makes of a text: whatever begins with `y`, `t` or a digit but 0 is true.
    ///
    /// White space, a sign and zeros may come before.
    private static func isTrue(_ text: String) -> Bool {
        var text = text.drop { $0.isWhitespace }
        if let sign = text.first, "+-".contains(sign) { text = text.dropFirst() }
        guard let first = text.first(where: { $0 != "0" }) else { return false }
        return "yYtT123456789".contains(first)
    }
}
