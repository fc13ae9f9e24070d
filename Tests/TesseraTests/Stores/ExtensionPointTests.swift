// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(TestPrograms)
internal import Foundation
internal import TestPrograms
internal import Testing

/// The modules that the tests were built with.
private enum BuiltModules {
    static let folder = ChildProgram.built("StoreProbe").dropLast("/StoreProbe".count)
    static let exist = FileManager.default.fileExists(atPath: "\(Self.folder)/Modules/Tessera.swiftmodule")
}

@Suite(
    "Conformances in a module with other compiler settings",
    .enabled(if: ChildProgram.find("swiftc") != nil, "swiftc is not installed"),
    .enabled(if: BuiltModules.exist, "the modules of the package are not next to the tests")
)
struct ExtensionPointTests {
    private static let settings: [[String]] = ["5", "6"]
        .flatMap { version in
            [[], ["-enable-upcoming-feature", "NonisolatedNonsendingByDefault"]]
                .flatMap { caller in
                    [[], ["-default-isolation", "MainActor"]].map { ["-swift-version", version] + caller + $0 }
                }
        }

    @Test("Compiles conformances to public protocols in every language mode", arguments: Self.settings)
    func compiles(settings: [String]) async throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        let source = folder.path + "/Conformances.swift"
        try Data(Self.conformances.utf8).write(to: URL(fileURLWithPath: source))
        // SwiftPM writes a module map for each C target without one. The build of a plugin's tool repeats the same
        // modules.
        let builds = try FileManager.default.contentsOfDirectory(atPath: String(BuiltModules.folder))
            .filter { !$0.hasSuffix("-tool.build") }
            .filter { FileManager.default.fileExists(atPath: "\(BuiltModules.folder)/\($0)/module.modulemap") }
        let modules = (["Modules"] + builds).flatMap { ["-I", "\(BuiltModules.folder)/\($0)"] }
        let compiler = try ChildProgram(
            ["swiftc", "-typecheck", "-parse-as-library", "-warnings-as-errors", "-strict-concurrency=complete"]
                + settings + modules + [source],
            readsErrors: true
        )
        compiler.closeInput()
        let messages = await compiler.errors.lines()
        #expect(await compiler.exitStatus == 0, "\(messages.joined(separator: "\n"))")
    }

    /// Conformances whose signatures are copied from the documentation.
    private static let conformances = """
        import Foundation
        import HTTPTypes
        import Tessera
        import TesseraFetch
        import TesseraOAuth

        final class MyStore: SessionStore {
            func load(_ account: Account) async throws -> SessionRecord? { nil }
            func list() async throws -> [Account] { [] }
            func remove(_ account: Account) async throws {}
            func update<Result: Sendable>(
                _ account: Account,
                _ body: SessionStoreUpdate<Result>
            ) async throws -> Result {
                try await body(
                    SessionStoreEntry(
                        load: { try await self.load(account) },
                        mark: { _ in },
                        save: { _ in },
                        remove: { try await self.remove(account) }
                    )
                )
            }
            func probe() async throws {}
        }

        actor MyActor: SessionStore {
            private var accounts: [Account] = []
            func load(_ account: Account) async throws -> SessionRecord? { nil }
            func list() async throws -> [Account] { self.accounts }
            func remove(_ account: Account) async throws { self.accounts.removeAll { $0 == account } }
            func update<Result: Sendable>(
                _ account: Account,
                _ body: SessionStoreUpdate<Result>
            ) async throws -> Result {
                try await body(
                    SessionStoreEntry(
                        load: { try await self.load(account) },
                        mark: { _ in },
                        save: { _ in },
                        remove: { try await self.remove(account) }
                    )
                )
            }
            func probe() async throws {}
        }

        struct MyWrapper: SessionStore {
            let base: any SessionStore
            func load(_ account: Account) async throws -> SessionRecord? { try await self.base.load(account) }
            func list() async throws -> [Account] { try await self.base.list() }
            func remove(_ account: Account) async throws { try await self.base.remove(account) }
            func update<Result: Sendable>(
                _ account: Account,
                _ body: SessionStoreUpdate<Result>
            ) async throws -> Result {
                try await self.base.update(account) { entry in try await body(entry) }
            }
            func probe() async throws { try await self.base.probe() }
        }

        struct MyTransients: TransientStore {
            func save(_ content: [UInt8], as name: String, until end: Date, now: Date) async throws {}
            func content(of name: String, now: Date) async throws -> [UInt8]? { nil }
            func take(_ name: String, now: Date) async throws -> [UInt8]? { nil }
        }

        struct MyAgent: UserAgent {
            func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
                RedirectReceiver(
                    redirectURI: "com.example.app:/callback",
                    present: { url in print(url) },
                    nextRedirect: { Redirect(.redirect("com.example.app:/callback")) { reply in print(reply) } },
                    close: {}
                )
            }
        }

        actor MyBrowser: UserAgent {
            private var pages: [URL] = []
            private func show(_ page: URL) { self.pages.append(page) }
            private func redirect() async throws -> Redirect? { nil }
            private func end() async { self.pages = [] }
            func makeRedirectReceiver(responseMode: ResponseMode) async throws -> RedirectReceiver {
                RedirectReceiver(
                    redirectURI: "com.example.app:/callback",
                    present: { await self.show($0) },
                    nextRedirect: { try await self.redirect() },
                    close: { await self.end() }
                )
            }
        }

        func redirect(of agent: any UserAgent) async throws -> DeliveredResponse? {
            try await agent.withRedirectReceiver { receiver in
                try await receiver.present("https://id.example/authorize")
                let redirect = try await receiver.nextRedirect(until: RedirectDeadline(after: .seconds(300)))
                await redirect?.reply(.unrelated(reason: "another state"))
                return redirect?.response
            }
        }

        struct MySource: AccessTokenSource {
            let authorizedOrigins: [OriginPattern] = []
            func accessToken() async throws -> AccessToken { throw CancellationError() }
            func replacement(forRejected token: AccessToken) async throws -> AccessToken { try await self.accessToken() }
        }

        struct MyTransport: HTTPTransport {
            func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
                throw CancellationError()
            }
        }

        struct MyInterceptor: FetchInterceptor {
            func intercept(
                _ request: HTTPRequest,
                body: HTTPBody?,
                next: FetchChain
            ) async throws -> (HTTPResponse, HTTPBody) {
                try await next(request, body)
            }
        }

        struct MyObserver: ExchangeObserver {
            func observe<Value: Sendable>(
                _ exchange: OAuthExchange,
                _ work: ExchangeWork<Value>
            ) async throws -> Value {
                try await work()
            }
        }
        """
}
#endif
