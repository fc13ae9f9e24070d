// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import LoopbackHTTP
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The network addresses of this machine.
enum Interfaces {
    /// Returns all IPv4 addresses except 127.0.0.1.
    static func otherAddresses() -> [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var addresses: [String] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET) else { continue }
            var text = [CChar](repeating: 0, count: 64)
            guard
                getnameinfo(address, socklen_t(MemoryLayout<sockaddr_in>.size), &text, 64, nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            addresses.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
        }
        return addresses.filter { $0 != "127.0.0.1" }
    }

    /// Whether a server can listen on `::1`.
    static let hasIPv6: Bool = {
        guard let listener = try? Socket.listening(on: .ipv6, port: 0) else { return false }
        listener.release()
        return true
    }()
}
