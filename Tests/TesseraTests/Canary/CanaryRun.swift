// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport
internal import Tessera
internal import TesseraJOSE
internal import TesseraOAuth
internal import TesseraTesting
internal import Testing

/// One run with canary values everywhere: the provider, the network, the browser, and all that comes out.
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
        self.canaries.take(pem: self.assertionKey.pemRepresentation, "private key of the client")
        CanaryEndpoints.install(on: self.network)
    }

    /// The program's world, on a clock that nobody has to move where `isImpatient`.
    func runtime(isImpatient: Bool = false) -> OAuthRuntime {
        var runtime = self.network.runtime
        runtime.transport = self.transport
        if isImpatient { runtime.clock = ImpatientClock(moving: self.network.clock) }
        return runtime
    }

    func provider(_ change: (inout Provider) -> Void = { _ in }) throws -> Provider {
        var provider = try self.network.provider
        provider.client.authorizationResponseAlgorithms = [.es256]
        change(&provider)
        return provider
    }

    func signIn(isImpatient: Bool = false, _ change: (inout Provider) -> Void = { _ in }) throws -> SignIn {
        SignIn(
            try self.provider(change),
            runtime: self.runtime(isImpatient: isImpatient),
            store: self.store,
            userAgent: self.browser.agent,
            logger: self.outputs.logger
        )
    }

    /// A client without a session, watched like one with it.
    func client(
        authentication: ClientAuthentication = .clientSecretPost,
        isImpatient: Bool = false
    ) throws -> RegisteredClient {
        var client = try self.provider().client
        client.authentication = authentication
        if authentication == .privateKeyJWT { client.assertionKey = self.assertionKey }
        let runtime = self.runtime(isImpatient: isImpatient)
        return RegisteredClient(
            client,
            metadata: try ServerMetadata(parsing: Array(CanaryEndpoints.metadata.utf8)),
            runtime: runtime.observed(logger: self.outputs.logger, issuer: try Issuer(ScriptedProvider.issuer))
        )
    }

    /// A flow that has to succeed, and then once with each fault of one of its endpoints.
    ///
    /// - Parameters:
    ///   - path: the endpoint that goes wrong.
    ///   - isPolled: whether the flow would ask again and again: then it goes wrong once.
    ///   - swallows: how many faults the flow may bear without an error.
    ///   - work: the flow.
    /// - Throws: what the flow throws where nothing is wrong.
    func exercise<Value>(
        _ path: String,
        isPolled: Bool = false,
        swallows: Int = 0,
        _ work: () async throws -> Value
    ) async throws {
        self.outputs.take(try await work())
        let honest = try #require(self.transport.honest(path), "\(path) was not asked")
        let faults = Fault.all + Fault.wrongTypes(honest.1)
        let before = self.outputs.errors
        for fault in faults {
            self.transport.fail(path, fault, isOnce: isPolled)
            await self.outputs.take(work)
        }
        self.transport.fail(path, nil)
        #expect(self.outputs.errors - before >= Fault.all.count - swallows, "\(path): faults without an error")
    }

    /// Every exchange of these names, in success and in failure, left a log line, a span, a counter and a timer.
    func expectTraces(_ exchanges: [(name: String, grantType: String?)], failure: String = "transport") {
        for (name, grantType) in exchanges {
            for outcome in ["success", failure] {
                let seen = self.outputs.traces(of: name, grantType: grantType, outcome: outcome)
                #expect(seen == ["log", "span", "counter", "timer"], "\(name) \(grantType ?? "") \(outcome)")
            }
        }
    }

    /// No secret of the run is in anything that came out of it.
    ///
    /// - Parameter names: the secrets that have to have been there, so that the search looked for something.
    func expectNoSecret(_ names: Set<String>) {
        #expect(self.canaries.names.isSuperset(of: names), "not there: \(names.subtracting(self.canaries.names))")
        let texts = self.outputs.texts
        #expect(texts.count > 20)
        let haystack = Haystack(self.canaries.secrets)
        for leak in Set(texts.compactMap { haystack.find(in: $0) }).prefix(5) { Issue.record("\(leak)") }
    }
}
