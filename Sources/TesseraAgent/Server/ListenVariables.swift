// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The environment variables with which systemd describes the sockets that it passes to a process.
///
/// - SeeAlso: [sd_listen_fds(3)](https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html)
enum ListenVariables {
    /// The names of the variables.
    static let names = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"]

    /// The descriptor of the first socket.
    static let firstDescriptor: Int32 = 3

    /// Returns the descriptor of the socket that the variables describe.
    ///
    /// - Parameters:
    ///   - process: The ID of this process.
    ///   - variables: The environment.
    /// - Returns: The descriptor, or nil if the variables describe no sockets for this process.
    /// - Throws: ``AgentError`` with the code `unusableSocket` if a variable is malformed, or if there is not exactly one
    ///   socket.
    static func descriptor(for process: Int32, in variables: [String: String]) throws(AgentError) -> Int32? {
        guard let owner = variables["LISTEN_PID"] else { return nil }
        guard try Self.number("LISTEN_PID", owner) == process else { return nil }
        guard let count = variables["LISTEN_FDS"] else {
            throw AgentError(.unusableSocket, detail: "LISTEN_PID is set, but LISTEN_FDS is not")
        }
        guard try Self.number("LISTEN_FDS", count) == 1 else {
            throw AgentError(.unusableSocket, detail: "LISTEN_FDS is \(count), but the agent needs exactly one socket")
        }
        return Self.firstDescriptor
    }

    private static func number(_ name: String, _ text: String) throws(AgentError) -> Int32 {
        guard text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int32(text) else {
            throw AgentError(.unusableSocket, detail: "\(name) is not a number: '\(text)'")
        }
        return number
    }
}
