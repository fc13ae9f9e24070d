// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraPOSIX
internal import TesseraSupport

/// A descriptor of the server: non-blocking, and closed in every program that this one starts.
struct Socket {
    enum Received {
        case bytes(ArraySlice<UInt8>)
        case nothing
        case end
    }

    let descriptor: Int32
    /// Whether it is at a path: then only programs of this user are let in.
    var isAtPath = false

    /// A socket that listens on a loopback address; a port of 0 lets the system choose.
    static func listening(on address: LoopbackAddress, port: UInt16) throws(LoopbackError) -> Socket {
        let family = address == .ipv6 ? AF_INET6 : AF_INET
        let socket = Socket(descriptor: tessera_stream_socket(family))
        guard socket.descriptor >= 0 else { throw LoopbackError(call: "socket") }
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        if address == .ipv6 { setsockopt(socket.descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
        // A fixed port must be free again at once for a second sign-in, though connections of the first linger in
        // TIME_WAIT. Nobody else can listen on it at the same time because of this. SO_REUSEPORT would allow that.
        if port != 0 { setsockopt(socket.descriptor, SOL_SOCKET, SO_REUSEADDR, &on, size) }
        guard socket.take(address, port: port) == 0 else { throw socket.released(after: "bind") }
        guard listen(socket.descriptor, 1_024) == 0 else { throw socket.released(after: "listen") }
        return socket
    }

    /// A socket that listens at a path, in place of a dead program's socket; the directory should be this user's alone.
    ///
    /// It gets its name when it listens already: one that refuses connections is a dead program's.
    ///
    /// - Throws: `EEXIST` where something else than a socket has the name, `EPERM` where another user's socket has it,
    ///   `EADDRINUSE` where a program listens there.
    static func listening(at path: String) throws(LoopbackError) -> Socket {
        let temporary = path + "~"
        for name in [path, temporary] { try Self.checkReplaceable(name) }
        // A program that was killed at this very place left it.
        unlink(temporary)
        // As many as the system allows wait for their turn.
        let socket = Socket(descriptor: tessera_local_listen(temporary, 4_096), isAtPath: true)
        guard socket.descriptor >= 0 else { throw LoopbackError(call: "listen") }
        guard rename(temporary, path) == 0 else {
            let error = socket.released(after: "rename")
            unlink(temporary)
            throw error
        }
        return socket
    }

    /// The longest path that ``listening(at:)`` takes, in bytes: without the tilde, and the zero at its end.
    static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 2

    /// Checks that nothing is at a path but a socket of this user that a dead program left.
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

    /// The port that the system chose.
    func port() throws(LoopbackError) -> UInt16 {
        guard let end = Self.end({ getsockname(self.descriptor, $0, $1) }) else {
            throw LoopbackError(call: "getsockname")
        }
        return end.port
    }

    /// Both ends of an accepted connection to a loopback address; nil where the client has reset it.
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
        // The port has the same place in both families' addresses; the address has not.
        let range = Int32(storage.ss_family) == AF_INET6 ? 8..<24 : 4..<8
        return withUnsafeBytes(of: storage) { bytes in
            TCPConnection.End(
                address: Array(bytes[range]),
                port: UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
            )
        }
    }

    /// The next connection; an error number where there is none.
    func accept() -> Result<Socket, LoopbackError> {
        let socket = Socket(descriptor: tessera_accept(self.descriptor))
        guard socket.descriptor >= 0 else { return .failure(LoopbackError(call: "accept")) }
        guard !self.isAtPath || socket.isOfThisUser else {
            socket.release()
            return .failure(LoopbackError(call: "accept", errorNumber: ECONNABORTED))
        }
        return .success(Socket(descriptor: socket.descriptor, isAtPath: self.isAtPath))
    }

    /// Who is at the other end of a socket of a path; nil where the system does not say.
    var peer: LoopbackPeer? {
        var user = uid_t()
        var process = pid_t()
        guard tessera_peer(self.descriptor, &user, &process) == 0 else { return nil }
        return LoopbackPeer(user: UInt32(user), process: process)
    }

    /// Whether both ends are the same user's.
    var isOfThisUser: Bool { self.peer?.user == UInt32(geteuid()) }

    func receive(into buffer: inout [UInt8]) -> Received {
        let count = buffer.withUnsafeMutableBytes { recv(self.descriptor, $0.baseAddress, $0.count, 0) }
        if count > 0 { return .bytes(buffer[..<count]) }
        return count < 0 && [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) ? .nothing : .end
    }

    /// The number of bytes sent, nil when it would block; an error when the connection is gone.
    func send(_ bytes: UnsafeRawBufferPointer) -> Result<Int?, LoopbackError> {
        if bytes.isEmpty { return .success(0) }
        let count = tessera_send(self.descriptor, bytes.baseAddress, bytes.count)
        if count >= 0 { return .success(count) }
        return [EAGAIN, EWOULDBLOCK, EINTR].contains(errno)
            ? .success(nil) : .failure(LoopbackError(call: "send"))
    }

    /// Says that nothing more will be sent.
    func endSending() { shutdown(self.descriptor, Int32(SHUT_WR)) }

    /// Ends listening now, even while another thread waits in `poll`.
    func endListening() { shutdown(self.descriptor, Int32(SHUT_RDWR)) }

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
