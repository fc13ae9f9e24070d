// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// How long a transport waits for the network before it throws ``TransportError`` `timedOut`.
///
/// Neither is a total deadline: that is the caller's.
///
/// - SeeAlso: [RFC 9112, section 9.5](https://www.rfc-editor.org/rfc/rfc9112.html#section-9.5)
public struct TransportTimeouts: Sendable, Hashable {
    /// The longest time to make a connection, name resolution and TLS handshake included.
    public var connect: Duration
    /// The longest silence of the server: before the response's head, and between two parts of its body.
    public var idle: Duration

    /// Timeouts; 10 seconds to connect and 30 seconds of silence unless told otherwise.
    public init(connect: Duration = .seconds(10), idle: Duration = .seconds(30)) {
        self.connect = connect
        self.idle = idle
    }
}
