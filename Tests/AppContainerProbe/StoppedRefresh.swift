// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport
internal import TesseraTesting

/// A refresh in the middle of which the system suspends the process.
struct StoppedRefresh {
    let step: String

    /// Prints `at STEP` and stops; when continued, prints the number of refreshes and what the store has.
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
        let places = UserPlaces.current
        let base = EncryptedFileStore(directory: places.sessionDirectory ?? "", keyDirectory: places.keyDirectory)
        let store = StoppingStore(base)
        let signIn = SignIn(
            try provider.provider,
            runtime: runtime,
            store: store,
            userAgent: provider.userAgent()
        )
        let session = try await signIn.signIn(scopes: [.openID])
        provider.clock.advance(by: .seconds(3_600))

        let isStopped = Mutex(false)
        let stop: @Sendable (String) async -> Void = { [step] name in
            let isFirst = isStopped.withLock { isStopped in
                defer { isStopped = isStopped || name == step }
                return !isStopped && name == step
            }
            guard isFirst else { return }
            if name == "expired" {
                expiry.withLock { $0 }?()
                while expiry.withLock({ $0 }) != nil { await Task.yield() }
            }
            print("at", name)
            fflush(nil)
            raise(SIGSTOP)
            // A request on its way would time out.
            if !["sent", "expired"].contains(name) { provider.clock.advance(by: .seconds(7_200)) }
        }
        store.hook = stop
        provider.intercept("/token") { _ in
            await stop("sent")
            await stop("expired")
            return nil
        }
        // A response that was stopped on its way to the store is hours old: its ID token may have expired.
        do { _ = try await session.accessToken() } catch { print("at first: \(error)") }
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

/// A store that calls a hook before each step of an update.
private final class StoppingStore: SessionStore {
    typealias Hook = @Sendable (String) async -> Void

    private let base: EncryptedFileStore
    private let state = Mutex<Hook?>(nil)

    init(_ base: EncryptedFileStore) { self.base = base }

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
        return try await self.base.update(account) { entry in
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
    }
}
