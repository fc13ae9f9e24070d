// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
#endif

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

    /// Makes the directory where there is none, for the agent.
    ///
    /// - Throws: `unsafePlace`.
    func prepare() throws(AgentError) {
        guard let directory = self.directory else { throw AgentError(.unsafePlace, detail: Self.unknown) }
        do {
            try FileSystem.makeDirectory(directory)
        } catch {
            throw AgentError(.unsafePlace, detail: error.description)
        }
        try self.check()
    }

    /// Looks at the directory: whoever may write there could put a socket of his own in place of the agent's.
    ///
    /// - Throws: `unsafePlace`, or `notRunning` where there is no directory at all.
    func check() throws(AgentError) {
        guard let directory = self.directory else { throw AgentError(.unsafePlace, detail: Self.unknown) }
        guard (try? FileSystem.exists(directory)) != false else { throw AgentError(.notRunning, detail: self.socket) }
        guard FileSystem.isPrivateDirectory(directory) else { throw AgentError(.unsafePlace, detail: directory) }
    }

    private var directory: String? {
        self.socket.isEmpty ? nil : FileSystem.parent(of: self.socket)
    }

    private static let unknown = "neither XDG_RUNTIME_DIR nor a home directory is known"
}

extension AgentError {
    /// What a failure of the socket means.
    init(_ error: LoopbackError, at place: AgentPlace) {
        let code: Code =
            if error.isNobodyThere {
                .notRunning
            } else if error.isAnotherUsers {
                .anotherUser
            } else if error.isPathTooLong {
                .unsafePlace
            } else {
                .noAnswer
            }
        self.init(code, detail: error.isPathTooLong ? "\(place.socket): too long for a socket" : place.socket)
    }
}
