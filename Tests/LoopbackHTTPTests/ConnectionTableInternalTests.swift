// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
@testable internal import LoopbackHTTP
internal import TesseraSupport
internal import TesseraTesting
internal import TestTraits
internal import Testing

@Suite("Kernel connection tables")
struct ConnectionTableInternalTests {
    private static let header =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode   \n"
    private static let rest = " 1 0000000092033944 20 0 0 10 -1                     \n"

    /// A connection between two ports of one address.
    private static func connection(_ client: UInt16, _ server: UInt16, _ address: [UInt8] = [127, 0, 0, 1])
        -> TCPConnection
    {
        TCPConnection(
            client: TCPConnection.End(address: address, port: client),
            server: TCPConnection.End(address: address, port: server)
        )
    }

    /// Returns the hexadecimal words of an address as this machine's kernel prints them.
    private static func printed(_ bytes: [UInt8]) -> String {
        stride(from: 0, to: bytes.count, by: 4)
            .map { start in
                let word = Array(bytes[start..<(start + 4)]).withUnsafeBytes { $0.load(as: UInt32.self) }
                return String(format: "%08X", word)
            }
            .joined()
    }

    private static func row(
        _ client: UInt16,
        _ server: UInt16,
        address: [UInt8] = [127, 0, 0, 1],
        state: String = "01",
        user: String = "1000",
        inode: String = "98200",
        number: Int = 0
    ) -> String {
        let location = Self.printed(address)
        let ends = [client, server].map { "\(location):\(String(format: "%04X", $0))" }.joined(separator: " ")
        return String(format: "%4d: ", number)
            + "\(ends) \(state) 00000000:00000000 00:00000000 00000000 \(user)        0 \(inode)\(Self.rest)"
    }

    /// Returns the users found in tables with these rows.
    ///
    /// A nil table is a missing file.
    private static func users(
        of connections: [TCPConnection],
        ipv4: String? = nil,
        ipv6: String? = nil
    ) throws -> [UInt32?] {
        let directory = FileManager.default.temporaryDirectory.appending(path: "tessera-tables-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        for (name, rows) in [("tcp", ipv4), ("tcp6", ipv6)] {
            guard let rows else { continue }
            try Data((Self.header + rows).utf8).write(to: directory.appending(path: name))
        }
        let table = ConnectionTable(
            ipv4: directory.appending(path: "tcp").path,
            ipv6: directory.appending(path: "tcp6").path
        )
        return table.users(of: connections)
    }

    @Test("Returns the user of the client's row and not of the server's", .covers(127))
    func ipv4() throws {
        let rows = Self.row(40_000, 8_080, user: "1000") + Self.row(8_080, 40_000, user: "7")
        #expect(try Self.users(of: [Self.connection(40_000, 8_080)], ipv4: rows) == [1_000])
    }

    @Test("Finds IPv6 connections and IPv4-mapped connections of IPv6 sockets", .covers(127))
    func ipv6() throws {
        let loopback: [UInt8] = Array(repeating: 0, count: 15) + [1]
        let mapped: [UInt8] = Array(repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1]
        let rows =
            Self.row(1, 8_080, address: loopback, user: "5") + Self.row(2, 8_080, address: mapped, user: "6")
        let connections = [Self.connection(1, 8_080, loopback), Self.connection(2, 8_080), Self.connection(3, 8_080)]
        #expect(try Self.users(of: connections, ipv4: "", ipv6: rows) == [5, 6, nil])
        #expect(try Self.users(of: connections, ipv6: rows) == [5, 6, nil])
    }

    @Test(
        "Ignores a row in a state other than ESTABLISHED",
        .covers(127),
        arguments: [
            "02", "03", "04", "05", "06", "07", "08", "09", "0A", "0B", "0C",
        ]
    )
    func states(state: String) throws {
        let rows = Self.row(40_000, 8_080, state: state)
        #expect(try Self.users(of: [Self.connection(40_000, 8_080)], ipv4: rows) == [nil])
    }

    @Test("Ignores a row without an inode, which belongs to a closed socket and shows user 0", .covers(127))
    func noInode() throws {
        let rows = Self.row(40_000, 8_080, user: "0", inode: "0")
        #expect(try Self.users(of: [Self.connection(40_000, 8_080)], ipv4: rows) == [nil])
        let root = Self.row(40_000, 8_080, user: "0")
        #expect(try Self.users(of: [Self.connection(40_000, 8_080)], ipv4: root) == [0])
    }

    @Test(
        "Skips malformed rows and finds the rows after them",
        .covers(127),
        arguments: [
            "", ":", "0:", "0: ", "   0: 0100007F", "   0: 0100007F:9C40 0100007F:1F90 01",
            "   0: 0100007F:9C40 0100007F:1F90 01 ", "   0: 0100007F:9C40 0100007F:1F90 01 a b c",
            "   0: 0100007F:9C40 0100007F:1F90 01 0:0 0:0 0 x 0 98200 1",
            "   0: 0100007F:9C40 0100007F:1F90 01 0:0 0:0 0 -1 0 98200 1",
            "   0: 0100007F:9C40 0100007F:1F90 01 0:0 0:0 0 99999999999 0 98200 1",
            "   0: 0100007F:9C40 0100007F:1F90 01 0:0 0:0 0 1000 0 - 1", "\u{0}\u{0}",
            "0100007F:9C40 0100007F:1F90 01 ",
        ]
    )
    func malformed(line: String) throws {
        let connection = Self.connection(40_000, 8_080)
        #expect(try Self.users(of: [connection], ipv4: line + "\n") == [nil])
        #expect(try Self.users(of: [connection], ipv4: line + "\n" + Self.row(40_000, 8_080)) == [1_000])
    }

    @Test("Ignores a row without a line end", .covers(127))
    func cutRow() throws {
        let row = String(Self.row(40_000, 8_080).dropLast())
        #expect(try Self.users(of: [Self.connection(40_000, 8_080)], ipv4: row) == [nil])
    }

    @Test("Returns no user when the tables are missing", .covers(127), .shows(claims: 9))
    func noTables() throws {
        #expect(try Self.users(of: [Self.connection(1, 2), Self.connection(3, 4)]) == [nil, nil])
        #expect(try Self.users(of: []) == [])
    }

    @Test("Finds every row of a table longer than one read", .covers(127))
    func longTable() throws {
        let wanted: [UInt16] = [1, 430, 431, 432, 9_999, 20_000]
        let rows = (1...20_000)
            .map { number in
                Self.row(UInt16(number), 8_080, user: "\(number)", number: number)
            }
            .joined()
        let users = try Self.users(of: wanted.map { Self.connection($0, 8_080) }, ipv4: rows)
        #expect(users == wanted.map { UInt32($0) })
    }

    @Test("Skips a line longer than any the kernel writes", .covers(127))
    func longLine() throws {
        let rows = String(repeating: "0", count: 200_000) + "\n" + Self.row(40_000, 8_080)
        #expect(try Self.users(of: [Self.connection(40_000, 8_080)], ipv4: rows) == [1_000])
    }

    @Test(
        "A server with peer lookup knows the user of a client",
        .covers(127),
        .shows(claims: 9),
        .enabled(if: PeerLookup.system != nil, "the kernel has no list of connections"),
        arguments: [(LoopbackAddress.ipv4, "127.0.0.1"), (.ipv4, "::ffff:127.0.0.1"), (.ipv6, "::1")]
    )
    func server(address: LoopbackAddress, client: String) async throws {
        guard Interfaces.hasIPv6 || !client.contains(":") else { return }
        let server = try LoopbackServer.start(on: address, peers: .system) { request in
            .text(status: 200, request.peer.map { "\($0.user) \($0.process)" } ?? "unknown")
        }
        defer { server.stop() }
        let reply = try await LoopbackReply.to(
            "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
            address: client,
            port: server.port
        )
        #expect(reply.body == "\(geteuid()) 0")
    }

    @Test(
        "Requests have no peer without a lookup or when the lookup finds none",
        arguments: [nil, PeerLookup { $0.map { _ in nil } }]
    )
    func noPeer(peers: PeerLookup?) async throws {
        let server = try LoopbackServer.start(on: .ipv4, peers: peers) { request in
            .text(status: request.peer == nil ? 200 : 500, "")
        }
        defer { server.stop() }
        #expect(try await LoopbackReply.get("/", port: server.port).status == 200)
    }

    @Test("The server passes both endpoints of the connection to the peer lookup")
    func ends() async throws {
        let lookups = Mutex<[TCPConnection]>([])
        let peers = PeerLookup { connections in
            lookups.withLock { $0 += connections }
            return connections.map { UInt32($0.client.port) }
        }
        let server = try LoopbackServer.start(on: .ipv4, peers: peers) { request in
            .text(status: 200, "\(request.peer?.user ?? 0)")
        }
        defer { server.stop() }
        let reply = try await LoopbackReply.get("/", port: server.port)
        let connection = try #require(lookups.withLock { $0.count == 1 ? $0.first : nil })
        #expect(connection.server == TCPConnection.End(address: [127, 0, 0, 1], port: server.port))
        #expect(connection.client.address == [127, 0, 0, 1])
        #expect(reply.body == "\(connection.client.port)")
    }
}
