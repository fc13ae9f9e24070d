// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraGoogle
internal import TesseraStores

/// Looks at everything, in the order in which one thing may explain the next.
struct Examination: Sendable {
    /// The account that is meant; nil for all.
    let account: String?
    /// A provider beside those of the accounts.
    let provider: Provider?
    let asksProvider: Bool
    let refreshes: Bool

    func report(of shelf: SessionShelf) async throws -> HealthReport {
        let now = WallClock.now
        let (store, items) = await Self.store(shelf, now: now)
        let chosen = store.state == .ok || !items.isEmpty ? try self.chosen(items) : []
        var providers: [Provider] = []
        for provider in chosen.compactMap({ $0.readable?.provider.recognizingGoogle })
            + (self.provider.map { [$0] } ?? [])
        where !providers.contains(where: { $0.issuer == provider.issuer && $0.client == provider.client }) {
            providers.append(provider)
        }
        let (around, clients) = self.asksProvider ? await Self.ask(providers) : ([], [])
        var checks = around + [store] + clients
        for item in chosen {
            checks.append(
                await AccountExamination(item: item, shelf: shelf, refreshes: self.refreshes, now: now).check()
            )
        }
        if chosen.isEmpty, store.state == .ok {
            checks.append(.unknown(.account, "nobody is signed in; run 'tessera login'"))
        }
        return HealthReport(checks)
    }

    private func chosen(_ items: [SessionShelf.Item]) throws -> [SessionShelf.Item] {
        guard let account else { return items }
        return [try SessionShelf.choose(account, from: items)]
    }

    /// Each issuer is asked once, and each client of it.
    private static func ask(_ providers: [Provider]) async -> (around: [HealthCheck], clients: [HealthCheck]) {
        guard !providers.isEmpty else {
            let words = "not looked at: no account names a provider; --issuer URL does"
            return ([.unknown(.network, words)], [])
        }
        var examined: [String: ProviderExamination] = [:]
        var around: [HealthCheck] = []
        var clients: [HealthCheck] = []
        for provider in providers {
            let runtime = OAuthRuntime.real(permitting: provider.insecure)
            let examination: ProviderExamination
            if let known = examined[provider.issuer.url] {
                examination = known
            } else {
                examination = await ProviderExamination(of: provider, runtime: runtime)
                examined[provider.issuer.url] = examination
                around += examination.checks
            }
            guard !provider.client.clientID.isEmpty else { continue }
            clients.append(await ClientExamination.check(provider, examination.metadata, runtime: runtime))
        }
        return (around, clients)
    }

    private static func store(_ shelf: SessionShelf, now: Date) async -> (HealthCheck, [SessionShelf.Item]) {
        let name = shelf.uri.description
        do {
            let report = try await StoreReport(shelf)
            let items = report.items.filter { !KeptRegistration.isKept(as: $0.account) }
            guard let failure = report.obstacle ?? report.strays.first else {
                let count = items.count == 1 ? "1 session" : "\(items.count) sessions"
                return (.ok(.store, "\(name) keeps what is written to it, and has \(count)"), items)
            }
            return (.failure(.store, failure, of: name, Diagnosis(of: failure, now: now).findings), items)
        } catch {
            return (.failure(.store, error, of: name, Diagnosis(of: error, now: now).findings), [])
        }
    }
}
