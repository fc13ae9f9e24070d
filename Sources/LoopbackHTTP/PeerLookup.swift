// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Finds the users whose processes connected to a server on a loopback address.
package struct PeerLookup: Sendable {
    private let find: @Sendable (_ connections: [TCPConnection]) -> [UInt32?]

    /// Creates a lookup.
    ///
    /// - Parameter find: Returns the user of each connection's client, nil where it is not known. It runs on the server's
    ///   thread.
    package init(_ find: @escaping @Sendable (_ connections: [TCPConnection]) -> [UInt32?]) { self.find = find }

    /// The kernel's list of connections; nil on systems whose kernel has no such list.
    ///
    /// Android has one and does not let apps read it. Each of its apps is a user, the browser too.
    package static var system: PeerLookup? {
        #if canImport(Glibc) || canImport(Musl)
        PeerLookup { ConnectionTable().users(of: $0) }
        #else
        nil
        #endif
    }

    func users(of connections: [TCPConnection]) -> [UInt32?] { self.find(connections) }
}
