// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TesseraSupport

/// Finds a free loopback port, for servers whose address must be known before they start.
///
/// The system gives ports from 32768 to other servers and to connections that are opened in the meantime, so these ports
/// are lower.
enum FreePort {
    private static let found = Mutex<Set<UInt16>>([])

    static func find() throws -> UInt16 {
        for _ in 0..<1000 {
            let port = UInt16.random(in: 10240..<32768)
            if try Self.isFree(port), Self.found.withLock({ $0.insert(port).inserted }) { return port }
        }
        throw POSIXError(.EADDRNOTAVAIL)
    }

    private static func isFree(_ port: UInt16) throws -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
