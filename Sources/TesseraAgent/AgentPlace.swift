// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraSupport

/// Where an agent listens: a Unix socket in a directory that is this user's alone.
public struct AgentPlace: Sendable, Hashable {
    /// The socket's absolute path.
    public let socket: String

    /// The place of that socket.
    ///
    /// - Parameter socket: Its path; a relative one counts from the current directory.
    public init(socket: String) { self.socket = UserPlaces.absolute(socket) }

    /// `$XDG_RUNTIME_DIR/tessera/agent.sock`, or a place beside the user's configuration where that is missing or not the
    /// user's own.
    public static var ofUser: AgentPlace { AgentPlace(socket: UserPlaces.current.agentSocket) }

    /// The variable that names an agent's socket to programs, as `SSH_AUTH_SOCK` does for keys.
    public static let variable = "TESSERA_AGENT_SOCK"

    /// The place that `TESSERA_AGENT_SOCK` names; nil where it names none.
    public static var ofEnvironment: AgentPlace? {
        guard let value = getenv(Self.variable), value.pointee != 0 else { return nil }
        return AgentPlace(socket: String(cString: value))
    }

    /// The file whose lock the agent holds as long as it lives; it is never removed.
    var lock: String { self.socket + ".lock" }

    /// Creates the directory where it is missing, for the agent.
    ///
    /// - Throws: `unsafePlace`.
    public func prepare() throws {
        guard let directory = self.directory else { throw AgentError(.unsafePlace, detail: Self.unknown) }
        guard self.socket.utf8.count <= LoopbackServer.longestPath else { throw self.tooLong }
        // What a shell reads of it would be another path.
        if self.socket.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw AgentError(.unsafePlace, detail: "\(self.socket): it has a control character")
        }
        if (try? FileSystem.exists(directory)) != true {
            do {
                try FileSystem.makeDirectory(directory)
            } catch {
                throw AgentError(.unsafePlace, detail: error.description)
            }
        }
        try self.check()
    }

    /// Checks the directory: anyone who can write there could replace the agent's socket.
    ///
    /// - Throws: `unsafePlace`, or `notRunning` where there is no directory at all.
    func check() throws {
        guard let directory = self.directory else { throw AgentError(.unsafePlace, detail: Self.unknown) }
        guard (try? FileSystem.exists(directory)) != false else { throw AgentError(.notRunning, detail: self.socket) }
        if let exposure = FileSystem.exposure(ofDirectory: directory) {
            throw AgentError(.unsafePlace, detail: "\(directory): \(exposure)")
        }
    }

    /// What tells the socket that is there from another one at the same path; nil where none is.
    var identity: [UInt64]? { (try? FileSystem.ownStatus(of: self.socket))?.identity }

    /// The error for a path with which no socket can be created.
    fileprivate var tooLong: AgentError {
        AgentError(.unsafePlace, detail: "\(self.socket): longer than \(LoopbackServer.longestPath) bytes")
    }

    private var directory: String? {
        self.socket.isEmpty ? nil : FileSystem.parent(of: self.socket)
    }

    private static let unknown = "no path is given, and neither XDG_RUNTIME_DIR nor a home directory is known"
}

extension AgentError {
    /// Why an agent cannot be asked.
    init(_ error: LoopbackError, at place: AgentPlace) {
        if error.isNobodyThere {
            self.init(.notRunning, detail: place.socket)
        } else if error.isAnotherUsers {
            self.init(.anotherUser, detail: place.socket)
        } else if error.isPathTooLong {
            self = place.tooLong
        } else {
            self.init(.noAnswer, detail: "\(place.socket): \(error)")
        }
    }

    /// Why an agent cannot listen.
    init(listening error: LoopbackError, at place: AgentPlace) {
        let reason =
            if error.isNoSocket {
                "it, or the same name with a tilde, is not a socket and is not replaced"
            } else if error.isPortTaken {
                "another program listens there"
            } else if let owner = FileSystem.otherOwner(of: place.socket, trustsRoot: false) {
                "the socket belongs to \(owner)"
            } else {
                error.description
            }
        self.init(.unsafePlace, detail: "\(place.socket): \(reason)")
    }
}
