// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraSupport

/// The location of an agent, which is a Unix socket in a directory that is private to the user.
public struct AgentLocation: Sendable, Hashable {
    /// The absolute path of the socket.
    public let socket: String

    /// Creates a location from the path of a socket.
    ///
    /// - Parameter socket: The path, which is relative to the current directory if it is not absolute.
    public init(socket: String) { self.socket = UserFolders.absolute(socket) }

    /// The default location, `$XDG_RUNTIME_DIR/tessera/agent.sock`.
    ///
    /// If that directory is missing or not private to the user, the location is next to the user's configuration.
    public static var currentUser: AgentLocation { AgentLocation(socket: UserFolders.current.agentSocket) }

    /// The environment variable that specifies an agent's socket, like `SSH_AUTH_SOCK` for SSH keys.
    public static let variable = "TESSERA_AGENT_SOCK"

    /// The location specified by `TESSERA_AGENT_SOCK`, or nil if the variable is not set.
    public static var fromEnvironment: AgentLocation? {
        guard let value = getenv(Self.variable), value.pointee != 0 else { return nil }
        return AgentLocation(socket: String(cString: value))
    }

    /// The path of the lock file that the agent holds while it is running and never removes.
    var lock: String { self.socket + ".lock" }

    /// Checks the path and creates the directory if necessary, before an agent starts.
    ///
    /// - Throws: ``AgentError`` with the code `unsafeLocation`.
    public func prepare() throws {
        guard let directory = self.directory else { throw AgentError(.unsafeLocation, detail: Self.unknown) }
        guard self.socket.utf8.count <= LoopbackServer.longestPath else { throw self.tooLong }
        // A shell could interpret such a path as a different one.
        if self.socket.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw AgentError(.unsafeLocation, detail: "\(self.socket): the path contains a control character")
        }
        if (try? FileSystem.exists(directory)) != true {
            do {
                try FileSystem.makeDirectory(directory)
            } catch {
                throw AgentError(.unsafeLocation, detail: error.description)
            }
        }
        try self.check()
    }

    /// Checks that the directory is private, because users with write access could replace the agent's socket.
    ///
    /// - Throws: ``AgentError`` with the code `unsafeLocation`, or `notRunning` if the directory does not exist.
    func check() throws {
        guard let directory = self.directory else { throw AgentError(.unsafeLocation, detail: Self.unknown) }
        guard (try? FileSystem.exists(directory)) != false else { throw AgentError(.notRunning, detail: self.socket) }
        if let exposure = FileSystem.exposure(ofDirectory: directory) {
            throw AgentError(.unsafeLocation, detail: "\(directory): \(exposure)")
        }
    }

    /// The device and inode of the current socket, or nil if it does not exist.
    var identity: [UInt64]? { (try? FileSystem.ownStatus(of: self.socket))?.identity }

    /// The error for a path that is too long for a socket.
    fileprivate var tooLong: AgentError {
        AgentError(
            .unsafeLocation,
            detail: "\(self.socket): the path is longer than \(LoopbackServer.longestPath) bytes"
        )
    }

    private var directory: String? {
        self.socket.isEmpty ? nil : FileSystem.parent(of: self.socket)
    }

    private static let unknown = "no path was specified, and neither XDG_RUNTIME_DIR nor a home directory is available"
}

extension AgentError {
    /// Creates the error for a failed request to an agent.
    init(_ error: LoopbackError, at location: AgentLocation) {
        if error.isNotListening {
            self.init(.notRunning, detail: location.socket)
        } else if error.belongsToAnotherUser {
            self.init(.anotherUser, detail: location.socket)
        } else if error.isPathTooLong {
            self = location.tooLong
        } else {
            self.init(.noResponse, detail: "\(location.socket): \(error)")
        }
    }

    /// Creates the error for an agent that cannot listen.
    init(listening error: LoopbackError, at location: AgentLocation) {
        let reason =
            if error.isNotASocket {
                "a file at this path, or at this path with a tilde, is not a socket and was not replaced"
            } else if error.isPortTaken {
                "another program is listening there"
            } else if let owner = FileSystem.otherOwner(of: location.socket, trustsRoot: false) {
                "the socket belongs to \(owner)"
            } else {
                error.description
            }
        self.init(.unsafeLocation, detail: "\(location.socket): \(reason)")
    }
}
