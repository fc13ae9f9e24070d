// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc) || canImport(Musl)
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// A Unix socket listener whose clients wait until a test accepts them.
final class UnixListener: Sendable {
    private let descriptor: Int32

    /// Creates a listener with room for `queue` + 1 clients, as Linux counts them.
    init(at path: String, queue: Int32) throws {
        self.descriptor = try Self.socket(at: path, bind)
        guard listen(self.descriptor, queue) == 0 else { throw Failure(number: errno) }
    }

    deinit { close(self.descriptor) }

    /// Returns the descriptor of the next client.
    func next() async -> Int32 {
        while true {
            let client = accept(self.descriptor, nil, nil)
            if client >= 0 { return client }
            await Task.yield()
        }
    }

    /// Connects to the socket at a path and returns the client's descriptor.
    static func connect(to path: String) throws -> Int32 {
        #if canImport(Glibc)
        try Self.socket(at: path, Glibc.connect)
        #else
        try Self.socket(at: path, Musl.connect)
        #endif
    }

    private struct Failure: Error { let number: Int32 }

    private static func socket(
        at path: String,
        _ call: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32
    ) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = Glibc.socket(AF_UNIX, kind, 0)
        #else
        let descriptor = Musl.socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0)
        #endif
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, size) }
        }
        guard descriptor >= 0, result == 0 else { throw Failure(number: errno) }
        return descriptor
    }
}
#endif
