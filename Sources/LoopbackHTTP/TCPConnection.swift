// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The two ends of a TCP connection, as its server sees them.
package struct TCPConnection: Sendable, Hashable {
    /// An address and a port.
    package struct End: Sendable, Hashable {
        /// The address in network byte order: 4 bytes for IPv4, 16 for IPv6.
        package let address: [UInt8]
        /// The port.
        package let port: UInt16

        package init(address: [UInt8], port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    /// The end that connected.
    package let client: End
    /// The end that accepted the connection.
    package let server: End

    package init(client: End, server: End) {
        self.client = client
        self.server = server
    }
}
