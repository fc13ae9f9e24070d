// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// A run with canary values for all secrets: the provider, the network, the browser and everything that the run
/// outputs.
struct CanaryRun {
    static let marker = "CaNaRy:7f3a9"

    let network: ScriptedProvider
    let transport: CanaryTransport
    let canaries = Canaries()
    let outputs = Outputs()
    let store = WatchedStore()
    let browser: CanaryBrowser
    let assertionKey: JWSSigningKey

    init(_ options: ScriptedProvider.Options = ScriptedProvider.Options()) throws {
        self.network = try ScriptedProvider(options: options, marker: Self.marker)
        self.transport = CanaryTransport(self.network, self.canaries)
        self.browser = CanaryBrowser(self.network, self.canaries)
        self.assertionKey = try JWSSigningKey.generate(.es256)
        self.canaries.add("marker", Self.marker)
        self.canaries.record(pem: self.assertionKey.pemRepresentation, "private key of the client")
        CanaryEndpoints.install(on: self.network)
    }

    /// Returns the client's runtime, with a clock that advances by itself if `advancesClock`.
    func runtime(advancesClock: Bool = false) -> OAuthRuntime {
        var runtime = self.network.runtime
        runtime.transport = self.transport
        if advancesClock { runtime.clock = SelfAdvancingClock(moving: self.network.clock) }
        return runtime
    }

    func provider(_ change: (inout Provider) -> Void = { _ in }) throws -> Provider {
        var provider = try self.network.provider
        provider.client.authorizationResponseAlgorithms = [.es256]
        change(&provider)
        return provider
    }

    func signIn(advancesClock: Bool = false, _ change: (inout Provider) -> Void = { _ in }) throws -> SignIn {
        SignIn(
            try self.provider(change),
            runtime: self.runtime(advancesClock: advancesClock),
            store: self.store,
            userAgent: self.browser.agent,
            logger: self.outputs.logger
        )
    }

    /// Returns a client without a session, with the same logging and tracing.
    func client(
        authentication: ClientAuthentication = .clientSecretPost,
        advancesClock: Bool = false
    ) throws -> RegisteredClient {
        var client = try self.provider().client
        client.authentication = authentication
        if authentication == .privateKeyJWT { client.assertionKey = self.assertionKey }
        let runtime = self.runtime(advancesClock: advancesClock)
        return RegisteredClient(
            client,
            metadata: try ServerMetadata(parsing: Array(CanaryEndpoints.metadata.utf8)),
            runtime: runtime.observed(logger: self.outputs.logger, issuer: try Issuer(ScriptedProvider.issuer))
        )
    }

    /// Runs a flow once without a fault, then once with each fault of one of its endpoints.
    ///
    /// - Parameters:
    ///   - path: The endpoint that fails.
    ///   - isPolled: Whether the flow repeats its request until it succeeds. Then each fault occurs once.
    ///   - toleratedFaults: The number of faults that the flow may tolerate without throwing.
    ///   - work: The flow.
    /// - Throws: An error of the flow without a fault.
    func exercise<Value>(
        _ path: String,
        isPolled: Bool = false,
        toleratedFaults: Int = 0,
        _ work: () async throws -> Value
    ) async throws {
        self.outputs.record(try await work())
        let genuine = try #require(self.transport.genuine(path), "\(path) received no request")
        let faults = Fault.all + Fault.wrongTypes(genuine.1)
        let before = self.outputs.errors
        for fault in faults {
            self.transport.fail(path, fault, isOnce: isPolled)
            await self.outputs.record(work)
        }
        self.transport.fail(path, nil)
        #expect(
            self.outputs.errors - before >= Fault.all.count - toleratedFaults,
            "\(path): too many faults without an error"
        )
    }

    /// Expects a log line, a span, a counter and a timer for every exchange, both for success and for failure.
    func expectTraces(_ exchanges: [(name: String, grantType: String?)], failure: String = "transport") {
        for (name, grantType) in exchanges {
            for outcome in ["success", failure] {
                let seen = self.outputs.traces(of: name, grantType: grantType, outcome: outcome)
                #expect(seen == ["log", "span", "counter", "timer"], "\(name) \(grantType ?? "") \(outcome)")
            }
        }
    }

    /// Expects that no output of the run contains one of its secrets.
    ///
    /// - Parameter names: The names of secrets that the run must have used, so that the search is not empty.
    func expectNoSecret(_ names: Set<String>) {
        #expect(self.canaries.names.isSuperset(of: names), "not used: \(names.subtracting(self.canaries.names))")
        let texts = self.outputs.texts
        #expect(texts.count > 20)
        let haystack = Haystack(self.canaries.secrets)
        for leak in Set(texts.compactMap { haystack.find(in: $0) }).prefix(5) { Issue.record("\(leak)") }
    }
}
