// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraJOSE

/// A grant that a person decides about elsewhere: what is asked at the token endpoint, how often, and until when.
///
/// - SeeAlso: [RFC 8628, section 3.5](https://www.rfc-editor.org/rfc/rfc8628.html#section-3.5),
///   [OpenID Connect CIBA Core 1.0, section 10.1](https://openid.net/specs/openid-client-initiated-backchannel-authentication-core-1_0.html)
package struct PendingGrant: Sendable {
    /// The longest interval that is believed, in seconds.
    static let longestInterval: Int64 = 3_600

    let request: TokenRequest
    /// `expires_in` in seconds, from the answer on.
    let expiresIn: Int64
    /// `interval` in seconds: at least 1.
    let interval: Int64
    /// The end, by the runtime's uptime.
    let deadline: Int64

    /// Reads the members that every such answer has.
    ///
    /// `interval` is 5 where it is absent, and 0 counts as 1; what is negative, no number of seconds, or longer than an
    /// hour is refused: nobody can follow it.
    init(_ fields: JSONFields, request: TokenRequest, uptime: Int64) throws(ProtocolViolationError) {
        guard let expiresIn = try fields.seconds("expires_in") else {
            throw fields.violation("expires_in in the answer", "none")
        }
        guard expiresIn > 0 else { throw fields.violation("expires_in to be a time ahead", "0") }
        let interval = try fields.seconds("interval") ?? 5
        guard interval <= Self.longestInterval else {
            throw fields.violation("interval of at most \(Self.longestInterval) seconds", "\(interval)")
        }
        self.request = request
        self.expiresIn = expiresIn
        self.interval = max(interval, 1)
        self.deadline = uptime &+ Duration.seconds(expiresIn).nanoseconds
    }
}
