// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif
internal import LoopbackHTTP
internal import Tessera
internal import TesseraSupport
internal import TesseraTesting
internal import TesseraUserAgents
internal import TestTraits
internal import Testing

@Suite("Users whose redirects are accepted", .timeLimit(.minutes(1)))
struct RedirectGateTests {
    /// Returns a browser whose listener finds one of these users per connection and repeats the last one.
    private static func agent(
        _ users: [UInt32?],
        insecure: Insecure = [],
        warn: SystemBrowser.Warning? = nil
    ) -> SystemBrowser {
        let remaining = Mutex(users)
        var agent = SystemBrowser(command: .none, environment: [:], insecure: insecure, warn: warn)
        agent.peers = PeerLookup { connections in
            connections.map { _ in remaining.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? nil } }
        }
        return agent
    }

    @Test(
        "Rejects requests of other and unknown users with 403, names the override and keeps waiting",
        .covers(127),
        arguments: [
            (UInt32(65_534), "another user (user ID 65534)"), (nil, "does not report which user"),
        ] as [(UInt32?, String)]
    )
    func rejection(user: UInt32?, reason: String) async throws {
        let warnings = Mutex<[String]>([])
        let own = UInt32(geteuid())
        let run = try await SignInRun.start(
            Self.agent([user, user, user, own]) { warning in warnings.withLock { $0.append(warning) } }
        )
        for target in ["/?code=c&state=right", "/?error=access_denied&state=right", "/other"] {
            let reply = try await run.get(target)
            #expect(reply.status == 403)
            for text in [reason, "SystemBrowser(insecure: .redirectsFromAnyUser)", "still waiting"] {
                #expect(reply.body.contains(text), "\(text)")
            }
            #expect(!reply.body.contains("right"))
        }
        #expect(run.judged.redirects == [])
        #expect(try await run.get("/?code=c&state=right").status == 200)
        _ = try await run.outcome.value
        let warning = try #require(warnings.withLock { $0.count == 1 ? $0.first : nil })
        #expect(warning.hasPrefix("Rejected a request to the redirect listener: "))
        #expect(warning.contains(reason))
        #expect(warning.contains("allow it with SystemBrowser(insecure: .redirectsFromAnyUser)."))
    }

    @Test("Accepts requests of root's processes, such as a container's proxy", .covers(127))
    func root() async throws {
        let run = try await SignInRun.start(Self.agent([0]))
        #expect(try await run.get("/?state=right").status == 200)
        _ = try await run.outcome.value
    }

    @Test("Accepts requests of all users with the override", .covers(127))
    func override() async throws {
        let agent = Self.agent([65_534], insecure: .redirectsFromAnyUser) { _ in Issue.record("warned") }
        let run = try await SignInRun.start(agent)
        #expect(try await run.get("/?state=right").status == 200)
        _ = try await run.outcome.value
    }

    @Test("Other insecure options do not allow redirects from other users", .covers(127))
    func otherPermissions() async throws {
        let run = try await SignInRun.start(Self.agent([65_534], insecure: [.loopbackHTTP, .bearerInsteadOfDPoP]))
        #expect(try await run.get("/?state=right").status == 403)
        await run.giveUp()
    }
}
