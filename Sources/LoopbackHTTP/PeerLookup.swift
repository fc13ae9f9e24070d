// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import TesseraSupport

/// Looks up which users own the processes that connect to a server on a loopback address.
package struct PeerLookup: Sendable {
    private let find: @Sendable (_ connections: [TCPConnection]) -> [UInt32?]

    /// Creates a lookup.
    ///
    /// - Parameter find: Returns the user ID of each connection's client, or `nil` if it is unknown. The closure runs
    ///   on the server's thread.
    package init(_ find: @escaping @Sendable (_ connections: [TCPConnection]) -> [UInt32?]) { self.find = find }

    /// A lookup that uses the kernel's connection table, or `nil` on systems that have none.
    ///
    /// Android has such a table but does not let apps read it. Every Android app, including the browser, is a separate
    /// user.
    package static var system: PeerLookup? {
        #if canImport(Glibc) || canImport(Musl)
        PeerLookup { ConnectionTable().users(of: $0) }
        #else
        nil
        #endif
    }

    func users(of connections: [TCPConnection]) -> [UInt32?] { self.find(connections) }
}

/// The user and process at the other end of a connection, as reported by the system when the connection was
/// established.
package struct LoopbackPeer: Sendable, Hashable {
    /// The user ID.
    package let user: UInt32
    /// The process ID, or 0 if the system does not report it, as for a TCP connection.
    ///
    /// The ID may have been reused for another process since then.
    package let process: Int32

    package init(user: UInt32, process: Int32) {
        self.user = user
        self.process = process
    }

    /// The path of the process's executable, or its name if the path is not accessible.
    ///
    /// This is `nil` if the process has exited.
    ///
    /// Use this only for display, never for access decisions, because a program can choose any name.
    package var program: String? {
        var name = [UInt8](repeating: 0, count: 1_024)
        let length = name.withUnsafeMutableBytes { buffer in
            tessera_program_of(self.process, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count)
        }
        return length > 0 ? String(decoding: name[..<length], as: UTF8.self) : nil
    }
}

/// The two ends of a TCP connection, as seen by the server.
package struct TCPConnection: Sendable, Hashable {
    /// An address and a port.
    package struct End: Sendable, Hashable {
        /// The address in network byte order, with 4 bytes for IPv4 and 16 for IPv6.
        package let address: [UInt8]
        /// The port number.
        package let port: UInt16

        package init(address: [UInt8], port: UInt16) {
            self.address = address
            self.port = port
        }
    }

    /// The end that opened the connection.
    package let client: End
    /// The end that accepted the connection.
    package let server: End

    package init(client: End, server: End) {
        self.client = client
        self.server = server
    }
}

/// The list of TCP connections on Linux, with the user of each socket.
///
/// A row is trusted only if its state is ESTABLISHED and it has an inode. When a process closes a socket, the row loses
/// its inode and its user becomes 0, so any user could appear to be root.
///
/// - SeeAlso: proc_pid_net(5)
struct ConnectionTable: Sendable {
    /// The path of the table of IPv4 sockets.
    var ipv4 = "/proc/net/tcp"
    /// The path of the table of IPv6 sockets, which may also contain IPv4 connections (`::ffff:127.0.0.1`).
    var ipv6 = "/proc/net/tcp6"

    /// Returns the user who owns the process at the client's end of each connection, or `nil` if no table lists it.
    func users(of connections: [TCPConnection]) -> [UInt32?] {
        var users = [UInt32?](repeating: nil, count: connections.count)
        // The kernel returns the table in pieces, so a row can be missed while other rows are being added and removed.
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

    /// Returns the part of the client's row that identifies the connection, which is the local end, the remote end and
    /// the state ESTABLISHED.
    static func key(of connection: TCPConnection, isIPv6: Bool) -> [UInt8]? {
        guard let client = Self.text(of: connection.client, isIPv6: isIPv6),
            let server = Self.text(of: connection.server, isIPv6: isIPv6)
        else { return nil }
        return Array("\(client) \(server) 01 ".utf8)
    }

    /// Returns an end as the kernel prints it, with the address as words in the machine's byte order, followed by the
    /// port.
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

    /// Returns a row's user, or `nil` if the row is malformed, has no inode or describes another connection.
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
        // Fields: tx_queue:rx_queue, tr:tm->when, retrnsmt, uid, timeout, inode.
        let fields = UnsafeRawBufferPointer(rebasing: line[(offset + key.count)...])
            .split(separator: UInt8(ascii: " "), maxSplits: 6)
        guard fields.count >= 6, let user = UInt32(String(decoding: fields[3], as: UTF8.self)),
            let inode = UInt64(String(decoding: fields[5], as: UTF8.self)), inode != 0
        else { return nil }
        return user
    }

    /// Calls `body` with each line of a file until it returns false.
    ///
    /// If the file cannot be read, `body` is not called.
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
            // Move an incomplete line to the start of the buffer. No line is as long as the buffer.
            buffer.replaceSubrange(0..<(filled - used), with: Array(buffer[used..<filled]))
            filled = filled - used == buffer.count ? 0 : filled - used
        }
    }

    /// Calls `body` with each complete line.
    ///
    /// Returns the number of bytes consumed, or `nil` if `body` returned false.
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
