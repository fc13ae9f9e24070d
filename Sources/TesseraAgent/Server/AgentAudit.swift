// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import LoopbackHTTP
internal import Tessera
internal import TesseraJSON
internal import TesseraOAuth
internal import TesseraSupport

/// An audit log with one line for each granted or refused request, without any tokens.
///
/// Each line is a JSON object with `time`, `event` (`grant` or `refusal`), `pid`, `program`, `uid`, `account`, `asked`
/// and, depending on the event, `given`, `narrowed`, `expires_at` and `refreshed`, or `error`. If a line cannot be
/// written, the token is not issued.
public struct AgentAudit: Sendable {
    private let put: @Sendable (_ line: [UInt8]) throws -> Void
    private let check: @Sendable () throws -> Void
    private let executor = BlockingExecutor()

    /// Creates an audit log that calls a closure.
    ///
    /// - Parameter write: A closure that writes a line, including its line break. It is called serially and can block.
    public init(_ write: @escaping @Sendable (_ line: [UInt8]) throws -> Void) { self.init(write, checking: {}) }

    private init(
        _ write: @escaping @Sendable (_ line: [UInt8]) throws -> Void,
        checking: @escaping @Sendable () throws -> Void
    ) {
        self.put = write
        self.check = checking
    }

    /// Returns an audit log that appends to a private file with mode 0600.
    ///
    /// The file and its directory are created if necessary. Several agents can share a file.
    public static func file(_ path: String) -> AgentAudit {
        let path = UserFolders.absolute(path)
        let append: @Sendable ([UInt8]) throws -> Void = { line in
            if let directory = FileSystem.parent(of: path), try !FileSystem.exists(directory) {
                try FileSystem.makeDirectory(directory)
            }
            try FileSystem.append(line, to: path)
        }
        return AgentAudit(append, checking: { try append([]) })
    }

    /// An audit log that writes to standard error.
    public static var standardError: AgentAudit {
        AgentAudit { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN {
                    // Another program that uses the same terminal or pipe has made it nonblocking.
                    var polled = pollfd(fd: 2, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&polled, 1, -1)
                    continue
                }
                guard count > 0 else { throw AgentError(.serverError, detail: "standard error is closed") }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Checks that lines can be written before the agent accepts requests.
    ///
    /// - Throws: ``AgentError`` with the code `unwritableAudit`.
    func prepare() throws {
        do { try self.check() } catch { throw AgentError(.unwritableAudit, detail: Self.words(error)) }
    }

    private static func words(_ error: any Error) -> String {
        (error as? SystemError)?.description ?? (error as? any ErrorGuidance)?.description ?? "\(type(of: error))"
    }

    /// The result of a request.
    enum Result: Sendable {
        case grant(AgentToken, refreshed: Bool)
        case refusal(AgentError)
    }

    /// Writes a line for a request.
    ///
    /// - Throws: ``AgentError`` with the code `serverError` if the line cannot be written.
    func note(_ outcome: Result, _ request: AgentTokenRequest, from peer: LoopbackPeer?, at now: Date) async throws {
        let line = Self.line(outcome, request, peer, now)
        do {
            try await self.executor.run { try self.put(line) }
        } catch {
            throw AgentError(.serverError, detail: "the audit log cannot be written: \(Self.words(error))")
        }
    }

    private static func line(
        _ outcome: Result,
        _ request: AgentTokenRequest,
        _ peer: LoopbackPeer?,
        _ now: Date
    ) -> [UInt8] {
        func member(_ name: String, _ value: JSONNode) -> JSONMember { JSONMember(name: name, value: value) }
        let isGrant = if case .grant = outcome { true } else { false }
        var members = [
            member("time", .string(now.formatted(.iso8601))),
            member("event", isGrant ? "grant" : "refusal"),
            member("pid", .integer(Int64(peer?.process ?? 0))),
            member("program", peer?.program.map { Self.text($0, 1_024) } ?? .null),
            member("uid", peer.map { .integer(Int64($0.user)) } ?? .null),
        ]
        switch outcome {
        case .grant(let token, let refreshed):
            members.append(member("account", Self.text(token.account.fullName)))
            members.append(member("asked", Self.scopes(request.scopes)))
            members.append(member("given", Self.scopes(token.scopes)))
            members.append(member("narrowed", .bool(token.scopes.count < token.account.grantedScopes.count)))
            let end = token.expiresIn.map { now.addingTimeInterval(Double($0)).formatted(.iso8601) }
            members.append(member("expires_at", end.map { .string($0) } ?? .null))
            members.append(member("refreshed", .bool(refreshed)))
        case .refusal(let error):
            members.append(member("account", request.account.map { Self.text($0) } ?? .null))
            members.append(member("asked", Self.scopes(request.scopes)))
            members.append(member("error", .string(error.code.description)))
        }
        return JSONNode.object(members).serialized() + [0x0A]
    }

    /// Returns untrusted text without characters that a terminal could interpret.
    private static func text(_ text: String, _ limit: Int = 400) -> JSONNode {
        .string(UntrustedText.printable(text, limit: limit))
    }

    private static func scopes(_ scopes: [Scope]) -> JSONNode {
        Self.text(scopes.map(\.rawValue).joined(separator: " "), 4_000)
    }
}
