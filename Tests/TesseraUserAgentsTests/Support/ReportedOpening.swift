// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import LoopbackHTTP
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
internal import TesseraUserAgents
internal import TestPrograms
internal import Testing

/// A sign-in whose opener reports the address it received.
struct ReportedOpening: Sendable {
    /// The kind of program that opens the browser.
    enum Opener: Sendable, CaseIterable {
        /// A compiled program, which can open files.
        case program
        /// A script, which may start any browser.
        case script
    }

    /// The system's peer lookup, or a replacement that treats every client as this user's if there is none.
    static let peers = PeerLookup.system ?? PeerLookup { $0.map { _ in UInt32(geteuid()) } }

    let address: String
    let notice: PresentationNotice
    let outcome: Task<String, any Error>

    var port: UInt16 { self.notice.port }

    /// The path of the one-time page.
    var path: String { String(self.address.dropFirst("http://127.0.0.1:\(self.port)".count)) }

    /// Runs `body` while the opener is running and the sign-in is waiting.
    static func with(
        _ opener: Opener,
        url: String,
        _ agent: SystemBrowser = SystemBrowser(environment: [:]),
        clock: any Clock<Duration> = ContinuousClock(),
        body: (ReportedOpening) async throws -> Void
    ) async throws {
        let (reports, report) = AsyncStream.makeStream(of: String.self)
        let server = try HostileServer.start { request in
            report.yield(request.text)
            return .hang()
        }
        defer { server.stop() }
        let script = try await ScriptedBrowser(ScriptedBrowser.send("\"$1\"", port: server.port))
        defer { script.remove() }
        let (notices, continuation) = AsyncStream.makeStream(of: PresentationNotice.self)
        var agent = agent
        agent.peers = Self.peers
        agent.environment["PATH"] = "/usr/local/bin:/usr/bin:/bin"
        agent.announce = { continuation.yield($0) }
        agent.command =
            switch opener {
            case .program: .command("curl --silent --noproxy * --data '%s' http://127.0.0.1:\(server.port)/")
            case .script: .command(script.word)
            }
        let target = try #require(URL(string: url))
        let outcome = Task { [agent] () async throws -> String in
            try await agent.redirect(from: target, clock: clock) { try await SignInRun.judge($0.text) }.text
        }
        do {
            let address = try #require(await reports.next())
            let notice = try #require(await notices.next())
            try await body(ReportedOpening(address: address, notice: notice, outcome: outcome))
        } catch {
            outcome.cancel()
            _ = await outcome.result
            throw error
        }
        outcome.cancel()
        _ = await outcome.result
    }
}
