// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A PostgreSQL server on a loopback port that rejects every connection with a given message.
///
/// - SeeAlso: [The frontend/backend protocol](https://www.postgresql.org/docs/current/protocol-message-formats.html)
final class RefusingPostgreSQL: Sendable {
    let port: UInt16
    private let listener: Int32

    init(_ message: String) throws {
        #if canImport(Darwin)
        self.listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
        self.listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = self.listener
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 8) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw SceneFailure("no port: \(errno)") }
        self.port = UInt16(bigEndian: address.sin_port)
        let refusal = Self.refusal(message)
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                Self.serve(connection, refusal)
                close(connection)
            }
        }
    }

    /// Stops the server.
    func stop() {
        shutdown(self.listener, Int32(SHUT_RDWR))
        close(self.listener)
    }

    /// Declines encryption and rejects the startup message.
    private static func serve(_ connection: Int32, _ refusal: [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while read(connection, &buffer, buffer.count) >= 8 {
            // SSLRequest and GSSENCRequest start with this number. A startup message starts with the protocol version.
            let isRequest = buffer[4] == 0x04 && buffer[5] == 0xD2
            let response = isRequest ? Array("N".utf8) : refusal
            _ = response.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
            if !isRequest { return }
        }
    }

    private static func refusal(_ message: String) -> [UInt8] {
        var body: [UInt8] = []
        for field in ["SFATAL", "VFATAL", "C28000", "M" + message, "D" + message, "H" + message] {
            body += Array(field.utf8) + [0]
        }
        body.append(0)
        let length = UInt32(body.count + 4).bigEndian
        return [UInt8(ascii: "E")] + withUnsafeBytes(of: length) { Array($0) } + body
    }
}
