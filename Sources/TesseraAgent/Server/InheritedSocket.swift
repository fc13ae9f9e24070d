// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import TesseraSupport

/// A listening socket that a service manager created for an agent, such as systemd with socket activation.
///
/// The service manager owns the socket. The agent neither creates nor removes its file.
public struct InheritedSocket: Sendable, Hashable {
    /// The location of the socket.
    public let location: AgentLocation
    let listener: InheritedListener

    /// Returns the socket that systemd passed to this process, or nil if it passed none.
    ///
    /// Child processes inherit neither the socket nor the variables `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`,
    /// which this method removes from the environment. Call it once, before other threads use the environment.
    ///
    /// - Returns: The socket, or nil if `LISTEN_PID` is missing or is the ID of another process.
    /// - Throws: ``AgentError`` with the code `unusableSocket` if there is not exactly one socket, or if it is not a
    ///   listening Unix stream socket with an absolute path.
    public static func fromEnvironment() throws -> InheritedSocket? {
        var variables: [String: String] = [:]
        for name in ListenVariables.names {
            guard let value = getenv(name) else { continue }
            variables[name] = String(cString: value)
            unsetenv(name)
        }
        return try ListenVariables.descriptor(for: getpid(), in: variables).map { try InheritedSocket(descriptor: $0) }
    }

    /// Checks an inherited descriptor, and marks it as close-on-exec and non-blocking.
    init(descriptor: Int32) throws {
        do throws(LoopbackError) {
            self.listener = try InheritedListener(descriptor: descriptor)
        } catch {
            throw AgentError(inheriting: descriptor, error)
        }
        guard self.listener.path.hasPrefix("/") else {
            throw AgentError(.unusableSocket, detail: "\(self.listener.path): the path is not absolute")
        }
        self.location = AgentLocation(socket: self.listener.path)
    }
}

extension AgentError {
    /// Creates the error for an inherited descriptor that is not a suitable socket.
    fileprivate init(inheriting descriptor: Int32, _ error: LoopbackError) {
        let reason =
            switch error.errorNumber {
            case EBADF: "is not open"
            case ENOTSOCK: "is not a socket"
            case EAFNOSUPPORT: "is not a Unix socket"
            case EPROTOTYPE: "is not a stream socket"
            case EINVAL: "is not a listening socket"
            case EADDRNOTAVAIL: "has no path"
            default: "cannot be used (\(error))"
            }
        self.init(.unusableSocket, detail: "file descriptor \(descriptor) \(reason)")
    }
}
