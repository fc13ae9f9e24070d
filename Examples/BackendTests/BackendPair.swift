// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Tessera
import TesseraDefaults
import TesseraLocalProvider
import TesseraOAuth
import TesseraStores
@testable import backend

/// Two in-process instances of the site that share an SQLite database and use a local provider.
struct BackendPair: Sendable {
    let provider: LocalProvider
    let backends: [Backend]
    let readiness = Readiness(drainTime: .zero)

    static func with(
        _ metrics: MetricsPage,
        _ body: @Sendable (BackendPair, [any TestClientProtocol]) async throws -> Void
    ) async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "backend-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var options = LocalProviderOptions()
        // No server listens at this address. The tests deliver the redirects themselves.
        let publicURL = "http://127.0.0.1:9"
        options.clients = [.web(redirectURIs: [publicURL + "/callback"])]
        let provider = try await LocalProvider.start(options)
        let clientFile = directory.appending(path: "client_secret.json").path
        try Data(provider.clientSecretFile.utf8).write(to: URL(filePath: clientFile))
        let settings = BackendSettings(
            host: "127.0.0.1",
            port: 0,
            publicURL: publicURL,
            clientFile: clientFile,
            appClients: [],
            databasePath: directory.appending(path: "backend.sqlite").path,
            storeKey: try StoreKey([UInt8](repeating: 7, count: 32)),
            leaseSeconds: 30,
            jobSeconds: 0,
            jobCalls: 1,
            drainSeconds: 0,
            apiRootURL: provider.baseURL,
            allowsLoopbackHTTP: true,
            logLevel: .critical
        )
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let backends = [try await Backend(settings, logger: logger), try await Backend(settings, logger: logger)]
        let pair = BackendPair(provider: provider, backends: backends)
        let sites = backends.map { Application(router: BackendRouter.make($0, pair.readiness, metrics)) }
        do {
            try await sites[0]
                .test(.router) { first in
                    try await sites[1].test(.router) { second in try await body(pair, [first, second]) }
                }
        } catch {
            await provider.stop()
            throw error
        }
        await provider.stop()
    }

    /// Begins a sign-in at the first instance and delivers the redirect to the second instance.
    ///
    /// - Returns: The cookies of the user's browser, and the redirect URL.
    func signIn(_ clients: [any TestClientProtocol]) async throws -> (cookies: String, redirect: String) {
        let begun = try await clients[0].execute(uri: "/sign-in", method: .get)
        let transport = PlatformDefaults.transport(insecure: .loopbackHTTP)
        let walk = ConsentWalk(transport: transport, email: LocalProviderAccount.samples[0].email)
        let redirect = try await walk.redirect(from: begun.headers[.location] ?? "")
        let path = String(redirect.dropFirst(self.backends[1].settings.publicURL.count))
        let cookies = Self.cookies(begun)
        let arrived = try await clients[1].execute(uri: path, method: .get, headers: [.cookie: cookies])
        return (cookies + "; " + Self.cookies(arrived), redirect)
    }

    private static func cookies(_ response: TestResponse) -> String {
        response.headers[values: .setCookie].map { String($0.prefix { $0 != ";" }) }.joined(separator: "; ")
    }
}
