// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
internal import Dispatch

/// A server in place of PostgreSQL that has no TLS, requests the password in plaintext and prints the password it
/// receives.
enum Impostor {
    private static let sslRequest: UInt32 = 80_877_103
    private static let gssEncryptionRequest: UInt32 = 80_877_104

    /// Listens on a port of all addresses.
    static func start(port: UInt16) {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        let length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, length) }
        }
        guard isBound == 0, listen(listener, 8) == 0 else { exit(3) }
        DispatchQueue(label: "impostor")
            .async {
                while true {
                    let connection = accept(listener, nil, nil)
                    if connection >= 0 { Self.play(connection) }
                }
            }
    }

    private static func play(_ connection: Int32) {
        defer { close(connection) }
        while let head = Self.read(4, from: connection) {
            let length = Self.number(head)
            guard length >= 8, length < 10_000, let message = Self.read(Int(length) - 4, from: connection) else {
                return
            }
            let code = Self.number(Array(message.prefix(4)))
            if code == Self.sslRequest || code == Self.gssEncryptionRequest {
                Self.send([UInt8(ascii: "N")], to: connection)
                continue
            }
            // Responds to any startup message with AuthenticationCleartextPassword.
            Self.send([UInt8(ascii: "R"), 0, 0, 0, 8, 0, 0, 0, 3], to: connection)
            guard let kind = Self.read(1, from: connection), let head = Self.read(4, from: connection),
                let words = Self.read(Int(Self.number(head)) - 4, from: connection)
            else { return }
            say("told: \(String(decoding: kind + words.filter { $0 != 0 }, as: UTF8.self))")
            return
        }
    }

    private static func number(_ bytes: [UInt8]) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }

    private static func read(_ count: Int, from connection: Int32) -> [UInt8]? {
        var bytes: [UInt8] = []
        while bytes.count < count {
            var buffer = [UInt8](repeating: 0, count: count - bytes.count)
            let step = recv(connection, &buffer, buffer.count, 0)
            if step <= 0 { return nil }
            bytes += buffer[..<step]
        }
        return bytes
    }

    private static func send(_ bytes: [UInt8], to connection: Int32) {
        #if canImport(Darwin)
        _ = Darwin.send(connection, bytes, bytes.count, 0)
        #elseif canImport(Glibc)
        _ = Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        #else
        _ = Musl.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }
}
