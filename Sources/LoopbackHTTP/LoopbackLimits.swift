// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What a client may take: bytes, time, connections.
package struct LoopbackLimits: Sendable, Hashable {
    /// The longest request line and headers, in bytes; more is answered with 431.
    package var headerBytes: Int
    /// The longest body, in bytes; more is answered with 413.
    package var bodyBytes: Int
    /// How long a client may take from connecting to the end of its headers.
    package var headerDeadline: Duration
    /// How long a client may neither send its body nor take its response.
    package var idle: Duration
    /// How long a connection stays after its response, and after `stop()`, for the client to take the rest.
    package var farewell: Duration
    /// Connections at a time; when one more comes, the oldest that has not sent a request is closed.
    package var connections: Int
    /// How long a connection may take for its request before it is closed for a new one, which waits until then.
    package var grace: Duration

    package init(
        headerBytes: Int = 16 * 1024,
        bodyBytes: Int = 64 * 1024,
        headerDeadline: Duration = .seconds(10),
        idle: Duration = .seconds(10),
        farewell: Duration = .seconds(2),
        connections: Int = 64,
        grace: Duration = .zero
    ) {
        self.headerBytes = headerBytes
        self.bodyBytes = bodyBytes
        self.headerDeadline = headerDeadline
        self.idle = idle
        self.farewell = farewell
        self.connections = connections
        self.grace = grace
    }
}
