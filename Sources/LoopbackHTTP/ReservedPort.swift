// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A port on a loopback address that refuses connections, and that no server can use until this value is released.
package final class ReservedPort: Sendable {
    private let socket: Socket
    /// The number of the port.
    package let port: UInt16

    /// Reserves a port that the system chooses.
    package init(on address: LoopbackAddress = .ipv4) throws(LoopbackError) {
        self.socket = try Socket.bound(to: address, port: 0)
        do throws(LoopbackError) {
            self.port = try self.socket.port()
        } catch {
            self.socket.release()
            throw error
        }
    }

    deinit { self.socket.release() }
}
