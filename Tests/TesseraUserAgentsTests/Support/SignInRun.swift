// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import TesseraSupport
internal import Tessera
internal import TesseraOAuth
internal import TesseraTesting
@testable internal import TesseraUserAgents

/// A sign-in with a browser that is opened by hand.
struct SignInRun: Sendable {
    let notice: PresentationNotice
    let outcome: Task<String, any Error>
    let judged: Judged

    var port: UInt16 { self.notice.port }

    /// The redirects that were passed to the judge.
    final class Judged: Sendable {
        private let list = Mutex<[String]>([])
        var redirects: [String] { self.list.withLock { $0 } }
        func add(_ redirect: String) { self.list.withLock { $0.append(redirect) } }
    }

    private static let url = URL(string: "https://as.example/authorize?state=s3cr3t")

    /// Starts a sign-in and returns after its listener is ready.
    ///
    /// The default judge accepts a redirect with the right state and throws if it contains an error.
    static func start(
        _ agent: SystemBrowser = SystemBrowser(command: .none, environment: [:]),
        timeout: Duration = .seconds(300),
        clock: any Clock<Duration> = ContinuousClock(),
        responseMode: ResponseMode = .query,
        judge: @escaping @Sendable (String) async throws -> CompletionPage? = Self.judge
    ) async throws -> SignInRun {
        let (notices, continuation) = AsyncStream.makeStream(of: PresentationNotice.self)
        var agent = agent
        agent.announce = { continuation.yield($0) }
        let judged = Judged()
        let task = Task { [agent] in
            defer { continuation.finish() }
            guard let url = Self.url else { throw SignInError(.canceled) }
            let accepted = try await agent.redirect(
                from: url,
                timeout: timeout,
                clock: clock,
                responseMode: responseMode
            ) { response in
                judged.add(response.text)
                return try await judge(response.text)
            }
            return accepted.text
        }
        for await notice in notices { return SignInRun(notice: notice, outcome: task, judged: judged) }
        _ = try await task.value
        throw SignInError(.canceled)
    }

    static let judge: @Sendable (String) async throws -> CompletionPage? = { redirect in
        guard redirect.contains("state=right") else { return nil }
        if redirect.contains("error=") { throw SignInError(.canceled, detail: "<script>alert('\"&')</script>") }
        return CompletionPage(
            account: "<b>ada</b>@example.com",
            provider: "Exämple & Co",
            application: "\"App\"",
            granted: ["openid", "https://as.example/auth/drive.readonly"],
            missing: ["<i>"]
        )
    }

    /// Returns the response to a GET request with the correct `Host` field.
    func get(_ target: String) async throws -> LoopbackReply {
        try await LoopbackReply.get(target, port: self.port)
    }

    /// Whether the port refuses connections.
    func isClosed() async -> Bool {
        do {
            _ = try await LoopbackConnection.open(port: self.port)
            return false
        } catch {
            return (error as? LoopbackConnection.Failure)?.isRefused == true
        }
    }

    /// Cancels a sign-in that is still waiting.
    func giveUp() async {
        self.outcome.cancel()
        _ = await self.outcome.result
    }
}

extension DeliveredResponse {
    /// The complete response, for comparisons.
    var text: String {
        switch self {
        case .redirect(let uri): uri
        case .formPost(let uri, let body): "POST \(uri) \(body)"
        }
    }
}
