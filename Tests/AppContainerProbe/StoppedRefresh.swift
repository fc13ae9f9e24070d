// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import HTTPTypes
internal import Tessera
internal import TesseraOAuth
internal import TesseraStores
internal import TesseraSupport
internal import TesseraTesting

/// A refresh during which the system suspends the process.
struct StoppedRefresh {
    let step: String
    /// The store of the session: "file" or "keychain".
    let store: String

    /// The steps at which the background activity expires before the process is stopped.
    private static let expiring: Set = ["expired", "keys", "expired-lost"]
    /// The steps after which the response to the request in flight still arrives.
    private static let answered: Set = ["sent", "expired", "keys"]

    /// Prints `at STEP` and stops.
    ///
    /// When continued, prints the number of refreshes if the session is still valid, or `lost`.
    func run() async throws {
        let provider = try ScriptedProvider()
        let expiry = Mutex<(@Sendable () -> Void)?>(nil)
        var runtime = provider.runtime
        runtime.suspension = ProcessSuspension(
            isInBackground: { false },
            begin: { _, expired in
                expiry.withLock { $0 = expired }
                return { expiry.withLock { $0 = nil } }
            }
        )
        let places = UserFolders.current
        let base: any SessionStore =
            self.store == "keychain"
            ? AppContainerProbe.keychainStore(InMemoryKeychain())
            : EncryptedFileStore(directory: places.sessionDirectory ?? "", keyDirectory: places.keyDirectory)
        let store = StoppingStore(base)
        let signIn = SignIn(
            try provider.provider,
            runtime: runtime,
            store: store,
            userAgent: provider.userAgent()
        )
        _ = try await signIn.signIn(scopes: [.openID])
        provider.clock.advance(by: .seconds(3_600))
        let hook = Mutex<StoppingStore.Hook?>(nil)
        runtime.transport = StoppingTransport(base: provider) { step in
            if let hook = hook.withLock({ $0 }) { await hook(step) }
        }
        // A process that has just started has not fetched the provider's keys.
        let restarted = SignIn(
            try provider.provider,
            runtime: runtime,
            store: store,
            userAgent: provider.userAgent()
        )
        guard let session = try await restarted.restore() else { return print("lost") }

        let isStopped = Mutex(false)
        let stopped: @Sendable (String) async -> Bool = { [step] name in
            let isFirst = isStopped.withLock { isStopped in
                defer { isStopped = isStopped || name == step }
                return !isStopped && name == step
            }
            guard isFirst else { return false }
            if Self.expiring.contains(name) {
                expiry.withLock { $0 }?()
                while expiry.withLock({ $0 }) != nil { await Task.yield() }
            }
            print("at", name)
            fflush(nil)
            raise(SIGSTOP)
            // A request in flight would time out.
            if !Self.answered.contains(name) { provider.clock.advance(by: .seconds(7_200)) }
            return true
        }
        let stop: StoppingStore.Hook = { name in _ = await stopped(name) }
        store.hook = stop
        hook.withLock { $0 = stop }
        provider.intercept("/token") { _ in
            await stop("sent")
            await stop("expired")
            // Sockets do not survive hours of suspension. The process notices this when it is continued.
            for name in ["lost", "expired-lost"] where await stopped(name) {
                throw TransportError(.connectionLost)
            }
            return nil
        }
        provider.intercept("/keys") { _ in
            await stop("keys")
            return nil
        }
        // A response delayed before it was saved is hours old, so its ID token may have expired.
        do { _ = try await session.accessToken() } catch { print("at first: \(error)") }
        if self.step.hasSuffix("lost") {
            print("mark", try await base.load(session.account)?.refreshMark == nil ? "removed" : "kept")
        }
        provider.clock.advance(by: .seconds(7_200))
        let token = try await session.accessToken()
        let record = try await base.load(session.account)
        guard record?.tokens?.accessToken == token.secret, record?.refreshMark == nil, session.ended == nil else {
            print("lost")
            return
        }
        print("alive after", provider.refreshes.count)
    }
}

/// A store that calls a hook before and after each step of an update.
private final class StoppingStore: SessionStore {
    typealias Hook = @Sendable (String) async -> Void

    private let base: any SessionStore
    private let state = Mutex<Hook?>(nil)

    init(_ base: any SessionStore) { self.base = base }

    var hook: Hook? {
        get { self.state.withLock { $0 } }
        set { self.state.withLock { $0 = newValue } }
    }

    func load(_ account: Account) async throws -> SessionRecord? { try await self.base.load(account) }
    func list() async throws -> [Account] { try await self.base.list() }
    func remove(_ account: Account) async throws { try await self.base.remove(account) }
    func probe() async throws { try await self.base.probe() }

    func update<Result: Sendable>(
        _ account: Account,
        _ body: SessionStoreUpdate<Result>
    ) async throws -> Result {
        await self.hook?("update")
        let result = try await self.base.update(account) { entry in
            try await body(
                SessionStoreEntry(
                    load: {
                        await self.hook?("load")
                        return try await entry.load()
                    },
                    mark: { mark in
                        await self.hook?("mark")
                        try await entry.mark(mark)
                        await self.hook?("marked")
                    },
                    save: { record in
                        await self.hook?("save")
                        try await entry.save(record)
                        await self.hook?("saved")
                    },
                    remove: { try await entry.remove() }
                )
            )
        }
        await self.hook?("released")
        return result
    }
}

/// A transport that calls a hook after it receives a response of the token endpoint.
private struct StoppingTransport: HTTPTransport {
    let base: any HTTPTransport
    let hook: StoppingStore.Hook

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let response = try await self.base.send(request, body: body)
        if request.path == "/token" { await self.hook("received") }
        return response
    }
}
