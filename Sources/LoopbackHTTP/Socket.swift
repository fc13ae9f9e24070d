// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import TesseraSupport

/// A non-blocking socket that is not inherited by child processes.
struct Socket {
    enum Received {
        case bytes(ArraySlice<UInt8>)
        case nothing
        case end
    }

    let descriptor: Int32
    /// Whether this is a Unix socket, which accepts connections only from the current user's processes.
    var isAtPath = false
    /// Whether another process has this socket too, so that it must not be shut down.
    var isInherited = false

    /// Creates a socket that listens on a loopback address.
    ///
    /// For port 0, the system chooses a port.
    static func listening(on address: LoopbackAddress, port: UInt16) throws(LoopbackError) -> Socket {
        let socket = try Self.bound(to: address, port: port)
        guard listen(socket.descriptor, 1_024) == 0 else { throw socket.released(after: "listen") }
        return socket
    }

    /// Creates a socket that is bound to a loopback address and refuses connections until it listens.
    ///
    /// For port 0, the system chooses a port.
    static func bound(to address: LoopbackAddress, port: UInt16) throws(LoopbackError) -> Socket {
        let family = address == .ipv6 ? AF_INET6 : AF_INET
        let socket = Socket(descriptor: tessera_stream_socket(family))
        guard socket.descriptor >= 0 else { throw LoopbackError(call: "socket") }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        if address == .ipv6 { setsockopt(socket.descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
        // This option lets a second sign-in reuse a fixed port immediately, even if connections from the first one are
        // still in TIME_WAIT. It does not let another process listen on the port at the same time, as SO_REUSEPORT
        // would.
        if port != 0 { setsockopt(socket.descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size) }
        guard socket.take(address, port: port) == 0 else { throw socket.released(after: "bind") }
        return socket
    }

    /// Creates a Unix socket that listens at a path, replacing a socket left behind by a terminated process.
    ///
    /// Only the current user should have access to the directory. The socket is moved to its final name after it starts
    /// listening, so a socket that refuses connections belongs to a terminated process.
    ///
    /// - Throws: `EEXIST` if the path is not a socket, `EPERM` if the socket belongs to another user, and `EADDRINUSE`
    ///   if another process is listening there.
    static func listening(at path: String) throws(LoopbackError) -> Socket {
        let temporary = path + "~"
        for name in [path, temporary] { try Self.checkReplaceable(name) }
        // A process that was killed at this point may have left this file behind.
        unlink(temporary)
        // The system may limit the queue of pending connections further.
        let socket = Socket(descriptor: tessera_local_listen(temporary, 4_096), isAtPath: true)
        guard socket.descriptor >= 0 else { throw LoopbackError(call: "listen") }
        guard rename(temporary, path) == 0 else {
            let error = socket.released(after: "rename")
            unlink(temporary)
            throw error
        }
        return socket
    }

    /// Returns a copy of a listening socket that this process inherited.
    ///
    /// Releasing the copy does not close the inherited descriptor.
    static func copying(_ listener: InheritedListener) throws(LoopbackError) -> Socket {
        let descriptor = fcntl(listener.descriptor, F_DUPFD_CLOEXEC, 3)
        guard descriptor >= 0 else { throw LoopbackError(call: "fcntl") }
        return Socket(descriptor: descriptor, isAtPath: true, isInherited: true)
    }

    /// The maximum length in bytes of a path for ``listening(at:)``, excluding the tilde and the terminating zero.
    static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 2

    /// Checks that the path is free or holds one of the current user's sockets, left behind by a terminated process.
    private static func checkReplaceable(_ path: String) throws(LoopbackError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw LoopbackError(call: "lstat")
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw LoopbackError(call: "bind", errorNumber: EEXIST) }
        guard status.st_uid == geteuid() else { throw LoopbackError(call: "bind", errorNumber: EPERM) }
        let other = Socket(descriptor: tessera_local_connect(path, 0))
        if other.descriptor < 0, errno == ECONNREFUSED { return }
        if other.descriptor >= 0 { other.release() }
        throw LoopbackError(call: "bind", errorNumber: EADDRINUSE)
    }

    /// Returns the port to which the socket is bound.
    func port() throws(LoopbackError) -> UInt16 {
        guard let end = Self.end({ getsockname(self.descriptor, $0, $1) }) else {
            throw LoopbackError(call: "getsockname")
        }
        return end.port
    }

    /// The two ends of an accepted connection to a loopback address, or `nil` if the client has reset it.
    var tcpConnection: TCPConnection? {
        guard let client = Self.end({ getpeername(self.descriptor, $0, $1) }),
            let server = Self.end({ getsockname(self.descriptor, $0, $1) })
        else { return nil }
        return TCPConnection(client: client, server: server)
    }

    private static func end(
        _ name: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> TCPConnection.End? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { name($0, &length) }
        }
        guard result == 0 else { return nil }
        // The port is at the same offset for both address families, but the address is not.
        let range = Int32(storage.ss_family) == AF_INET6 ? 8..<24 : 4..<8
        return withUnsafeBytes(of: storage) { bytes in
            TCPConnection.End(
                address: Array(bytes[range]),
                port: UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
            )
        }
    }

    /// Accepts the next connection.
    ///
    /// Fails with an error number if no connection is pending.
    func accept() -> Result<Socket, LoopbackError> {
        let socket = Socket(descriptor: tessera_accept(self.descriptor))
        guard socket.descriptor >= 0 else { return .failure(LoopbackError(call: "accept")) }
        guard !self.isAtPath || socket.isOfThisUser else {
            socket.release()
            return .failure(LoopbackError(call: "accept", errorNumber: ECONNABORTED))
        }
        return .success(Socket(descriptor: socket.descriptor, isAtPath: self.isAtPath))
    }

    /// The peer of a Unix socket, or `nil` if the system does not report it.
    var peer: LoopbackPeer? {
        var user = uid_t()
        var process = pid_t()
        guard tessera_peer(self.descriptor, &user, &process) == 0 else { return nil }
        return LoopbackPeer(user: UInt32(user), process: process)
    }

    /// Whether both ends belong to the current user.
    var isOfThisUser: Bool { self.peer?.user == UInt32(geteuid()) }

    func receive(into buffer: inout [UInt8]) -> Received {
        let count = buffer.withUnsafeMutableBytes { recv(self.descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { return .bytes(buffer[..<count]) }
        return count < 0 && [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) ? .nothing : .end
    }

    /// Sends bytes and returns the number sent, `nil` if the call would block, or an error if the connection was lost.
    func send(_ bytes: UnsafeRawBufferPointer) -> Result<Int?, LoopbackError> {
        if bytes.isEmpty { return .success(0) }
        let count = tessera_send(self.descriptor, bytes.baseAddress, bytes.count)
        if count >= 0 { return .success(count) }
        return [EAGAIN, EWOULDBLOCK, EINTR].contains(errno)
            ? .success(nil) : .failure(LoopbackError(call: "send"))
    }

    /// Shuts down the sending side.
    func endSending() { shutdown(self.descriptor, Int32(SHUT_WR)) }

    /// Stops listening immediately, even while another thread waits in `poll`, unless the socket is inherited.
    func endListening() {
        if !self.isInherited { shutdown(self.descriptor, Int32(SHUT_RDWR)) }
    }

    func release() { _ = close(self.descriptor) }

    private func released(after call: String) -> LoopbackError {
        let error = LoopbackError(call: call)
        self.release()
        return error
    }

    private func take(_ address: LoopbackAddress, port: UInt16) -> Int32 {
        var storage = sockaddr_storage()
        let size: Int
        if address == .ipv6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
            size = MemoryLayout<sockaddr_in6>.size
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in6.self) }
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
            size = MemoryLayout<sockaddr_in>.size
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: address, as: sockaddr_in.self) }
        }
        return withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(self.descriptor, $0, socklen_t(size)) }
        }
    }
}
