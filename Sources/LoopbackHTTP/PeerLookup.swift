// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import TesseraSupport

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

/// Who is at the other end of a connection, as the system says: taken when the connection was made.
package struct LoopbackPeer: Sendable, Hashable {
    /// The number of the user.
    package let user: UInt32
    /// The number of the process; 0 where the system does not say, and for a TCP connection.
    ///
    /// Another process may have it by now.
    package let process: Int32

    package init(user: UInt32, process: Int32) {
        self.user = user
        self.process = process
    }

    /// The path of the process's program, or its name where the path may not be seen; nil when it has ended.
    ///
    /// For people to read, and never to decide by: a program can give itself any name.
    package var program: String? {
        var name = [UInt8](repeating: 0, count: 1_024)
        let length = name.withUnsafeMutableBytes { buffer in
            tessera_program_of(self.process, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        return length > 0 ? String(decoding: name[..<length], as: UTF8.self) : nil
    }
}

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

/// Linux's list of TCP connections, with the user of each socket.
///
/// A row is trusted only in state ESTABLISHED and with an inode. A socket that its process has closed loses its inode, and
/// its user becomes 0: any user could look like root.
///
/// - SeeAlso: proc_pid_net(5)
struct ConnectionTable: Sendable {
    /// The table of IPv4 sockets.
    var ipv4 = "/proc/net/tcp"
    /// The table of IPv6 sockets, which can have IPv4 connections too (`::ffff:127.0.0.1`).
    var ipv6 = "/proc/net/tcp6"

    /// Returns the user whose process has the client's end of each connection, nil where the tables do not say.
    func users(of connections: [TCPConnection]) -> [UInt32?] {
        var users = [UInt32?](repeating: nil, count: connections.count)
        // The kernel hands a table over piece by piece. A row can be missed when others come and go meanwhile.
        for _ in 0..<2 {
            for (path, isIPv6) in [(self.ipv4, false), (self.ipv6, true)] {
                let wanted = connections.indices.compactMap { index -> (index: Int, key: [UInt8])? in
                    guard users[index] == nil else { return nil }
                    return Self.key(of: connections[index], isIPv6: isIPv6).map { (index, $0) }
                }
                var missing = wanted.count
                guard missing > 0 else { continue }
                Self.forEachLine(of: path) { line in
                    for (index, key) in wanted where users[index] == nil {
                        guard let user = Self.user(in: line, key: key) else { continue }
                        users[index] = user
                        missing -= 1
                    }
                    return missing > 0
                }
            }
            if !users.contains(nil) { break }
        }
        return users
    }

    /// The part of the client's row that names the connection: local end, remote end, state ESTABLISHED.
    static func key(of connection: TCPConnection, isIPv6: Bool) -> [UInt8]? {
        guard let client = Self.text(of: connection.client, isIPv6: isIPv6),
            let server = Self.text(of: connection.server, isIPv6: isIPv6)
        else { return nil }
        return Array("\(client) \(server) 01 ".utf8)
    }

    /// An end as the kernel prints it: the address as words of the machine's byte order, the port.
    private static func text(of end: TCPConnection.End, isIPv6: Bool) -> String? {
        var address = end.address
        if isIPv6, address.count == 4 { address = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] + address }
        guard address.count == (isIPv6 ? 16 : 4) else { return nil }
        let words = stride(from: 0, to: address.count, by: 4)
            .map { start in
                let word = address.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: UInt32.self) }
                return Self.hexadecimal(word, digits: 8)
            }
        return words.joined() + ":" + Self.hexadecimal(UInt32(end.port), digits: 4)
    }

    private static func hexadecimal(_ number: UInt32, digits: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The user of a row, nil where the row is another connection's, has no inode or is malformed.
    ///
    /// `   0: 0100007F:B7CE 0100007F:E723 01 00000000:00000000 00:00000000 00000000  1000        0 98200 2 …`
    static func user(in line: UnsafeRawBufferPointer, key: [UInt8]) -> UInt32? {
        guard let start = line.baseAddress, let colon = memchr(start, Int32(UInt8(ascii: ":")), line.count) else {
            return nil
        }
        let offset = UnsafeRawPointer(colon) - start + 2
        guard line.count - offset > key.count, line[offset - 1] == UInt8(ascii: " "),
            memcmp(start + offset, key, key.count) == 0
        else { return nil }
        // tx_queue:rx_queue, tr:tm->when, retrnsmt, uid, timeout, inode
        let fields = UnsafeRawBufferPointer(rebasing: line[(offset + key.count)...])
            .split(separator: UInt8(ascii: " "), maxSplits: 6)
        guard fields.count >= 6, let user = UInt32(String(decoding: fields[3], as: UTF8.self)),
            let inode = UInt64(String(decoding: fields[5], as: UTF8.self)), inode != 0
        else { return nil }
        return user
    }

    /// Calls `body` with each line of a file until it returns false; does nothing where the file cannot be read.
    private static func forEachLine(of path: String, _ body: (UnsafeRawBufferPointer) -> Bool) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        var filled = 0
        while true {
            let count = buffer.withUnsafeMutableBytes { bytes in
                let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
                return read(descriptor, rest.baseAddress, rest.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            filled += count
            let used = buffer.withUnsafeBytes { Self.lines(of: UnsafeRawBufferPointer(rebasing: $0[..<filled]), body) }
            guard let used else { return }
            // The beginning of a line waits for its end. No line is as long as the buffer.
            buffer.replaceSubrange(0..<(filled - used), with: Array(buffer[used..<filled]))
            filled = filled - used == buffer.count ? 0 : filled - used
        }
    }

    /// Calls `body` with each whole line; the number of bytes they take, nil when `body` wants no more.
    private static func lines(of bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool) -> Int? {
        guard let start = bytes.baseAddress else { return 0 }
        var used = 0
        while used < bytes.count, let end = memchr(start + used, 0x0A, bytes.count - used) {
            let next = UnsafeRawPointer(end) - start
            guard body(UnsafeRawBufferPointer(rebasing: bytes[used..<next])) else { return nil }
            used = next + 1
        }
        return used
    }
}
