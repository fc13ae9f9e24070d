// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Tessera
internal import TesseraGoogle
internal import TesseraOAuth
internal import TesseraStores

/// Runs all checks, in an order in which one problem can explain the next.
struct Examination: Sendable {
    /// The account to check, or nil to check all accounts.
    let account: String?
    /// A provider to check in addition to those of the accounts.
    let provider: Provider?
    let asksProvider: Bool
    let refreshes: Bool

    func report(of catalog: SessionCatalog) async throws -> HealthReport {
        let now = WallClock.now
        let (store, items) = await Self.store(catalog, now: now)
        let chosen = store.state == .ok || !items.isEmpty ? try self.chosen(items) : []
        var providers: [Provider] = []
        for provider in chosen.compactMap({ $0.readable?.provider.recognizingGoogle })
            + (self.provider.map { [$0] } ?? [])
        where !providers.contains(where: { $0.issuer == provider.issuer && $0.client == provider.client }) {
            providers.append(provider)
        }
        let (connectionChecks, clients) = self.asksProvider ? await Self.ask(providers) : ([], [])
        var checks = connectionChecks + [store] + clients
        for item in chosen {
            checks.append(
                await AccountExamination(item: item, catalog: catalog, refreshes: self.refreshes, now: now).check()
            )
        }
        if chosen.isEmpty, store.state == .ok {
            checks.append(.unknown(.account, "not signed in; run 'tessera login'"))
        }
        return HealthReport(checks)
    }

    private func chosen(_ items: [SessionCatalog.Item]) throws -> [SessionCatalog.Item] {
        guard let account else { return items }
        return [try SessionCatalog.choose(account, from: items)]
    }

    /// Checks each issuer and each of its clients once.
    private static func ask(_ providers: [Provider]) async -> (connectionChecks: [HealthCheck], clients: [HealthCheck])
    {
        guard !providers.isEmpty else {
            let words = "not checked: no account specifies a provider; use --issuer URL"
            return ([.unknown(.network, words)], [])
        }
        var examined: [String: ProviderExamination] = [:]
        var connectionChecks: [HealthCheck] = []
        var clients: [HealthCheck] = []
        for provider in providers {
            let runtime = OAuthRuntime.real(insecure: provider.insecure)
            let examination: ProviderExamination
            if let known = examined[provider.issuer.url] {
                examination = known
            } else {
                examination = await ProviderExamination(of: provider, runtime: runtime)
                examined[provider.issuer.url] = examination
                connectionChecks += examination.checks
            }
            guard !provider.client.clientID.isEmpty else { continue }
            clients.append(await ClientExamination.check(provider, examination.metadata, runtime: runtime))
        }
        return (connectionChecks, clients)
    }

    private static func store(_ catalog: SessionCatalog, now: Date) async -> (HealthCheck, [SessionCatalog.Item]) {
        let name = catalog.uri.description
        do {
            let report = try await StoreReport(catalog)
            let items = report.items.filter { !StoredRegistration.isStored(as: $0.account) }
            guard let failure = report.obstacle ?? report.strays.first else {
                let count = items.count == 1 ? "1 session" : "\(items.count) sessions"
                return (.ok(.store, "\(name) can be read and written, and has \(count)"), items)
            }
            return (.failure(.store, failure, of: name, Diagnosis(of: failure, now: now).findings), items)
        } catch {
            return (.failure(.store, error, of: name, Diagnosis(of: error, now: now).findings), [])
        }
    }
}

/// Checks one account from its stored record, or with a refresh if requested.
struct AccountExamination: Sendable {
    let item: SessionCatalog.Item
    let catalog: SessionCatalog
    let refreshes: Bool
    let now: Date

    func check() async -> HealthCheck {
        let record: SessionRecord
        do { record = try self.item.record.get() } catch {
            return .failure(.account, error, of: self.item.words, Diagnosis(of: error, now: self.now).findings)
        }
        let report = AccountReport(record, now: self.now)
        if record.tokens == nil { return self.ended(record, report) }
        return self.refreshes && record.tokens?.refreshToken != nil
            ? await self.refreshed(record, report) : self.stored(record, report)
    }

    private func ended(_ record: SessionRecord, _ report: AccountReport) -> HealthCheck {
        let policy = record.provider.recognizingGoogle.refreshTokenPolicy
        let end = SessionEndedError(of: record, policy: policy, now: self.now)
        return self.problem(end, report, at: record.history.endedAt)
    }

    /// Reports the end of a session with its explanation, or with advice to sign in again.
    private func problem(_ end: SessionEndedError, _ report: AccountReport, at date: Date? = nil) -> HealthCheck {
        let plain = ErrorReport(SessionEndedError(end.code, cause: end.cause))
        let since = date.map { " \(TimeText.relative($0, to: self.now))" } ?? ""
        let advice = Finding(Finding.Code(end.code.description, fix: plain.recoverySuggestion), .certain, "")
        let ending = "the session ended\(since):"
        let reason = plain.message.replacing("The session ended:", with: ending, maxReplacements: 1)
        return .problem(
            .account,
            "\(report.name): \(reason)",
            .signInNeeded,
            end.findings.isEmpty ? [advice] : end.findings
        )
    }

    private func stored(_ record: SessionRecord, _ report: AccountReport) -> HealthCheck {
        // A separate check reports the clock's current state.
        let policy = record.provider.recognizingGoogle.refreshTokenPolicy
        let findings = Diagnosis(of: record, policy: policy, now: self.now)
            .findings
            .filter { $0.code != .wrongClock }
        let words = "\(report.name): \(self.history(record))"
        if report.state == .needsSignIn { return .problem(.account, words, .signInNeeded, findings) }
        return findings.isEmpty ? .ok(.account, words) : .unknown(.account, words, findings)
    }

    private func history(_ record: SessionRecord) -> String {
        let history = record.history
        let consent = "signed in \(TimeText.relative(history.consentedAt, to: self.now))"
        guard record.tokens?.refreshToken != nil else { return "\(consent), cannot be refreshed" }
        guard let last = history.lastRefreshAt else { return "\(consent), never refreshed; use --refresh to try" }
        let times = history.refreshCount == 1 ? "once" : "\(history.refreshCount) times"
        return "\(consent), refreshed \(times), last \(TimeText.relative(last, to: self.now)); use --refresh to retry"
    }

    private func refreshed(_ record: SessionRecord, _ report: AccountReport) async -> HealthCheck {
        do {
            try await self.catalog.withSession(of: record) { session in _ = try await session.refresh() }
            return .ok(.account, "\(report.name): refreshed just now")
        } catch let end as SessionEndedError {
            return self.problem(end, report)
        } catch {
            let policy = record.provider.recognizingGoogle.refreshTokenPolicy
            let findings = Diagnosis(of: record, after: error, policy: policy, now: self.now).findings
            return .failure(.account, error, of: report.name, findings)
        }
    }
}

/// Checks whether a provider recognizes a client by sending a made-up refresh token.
///
/// The provider responds with `invalid_grant` if it recognizes the client and with `invalid_client` otherwise (RFC
/// 6749, section 5.2). Since no real token is sent, none can be used up or revoked. The provider may log an error, so
/// the made-up token states its purpose.
enum ClientExamination {
    private static let probe = Secret("tessera-doctor-asks-whether-this-client-is-known-and-this-is-no-token")

    static func check(_ provider: Provider, _ metadata: ServerMetadata?, runtime: OAuthRuntime) async -> HealthCheck {
        let name = UntrustedText.printable(provider.client.clientID, limit: 80)
        guard let metadata, metadata.tokenEndpoint != nil else {
            return .unknown(.client, "\(name): not checked, because the provider cannot be reached")
        }
        let client = RegisteredClient(
            provider.client,
            metadata: metadata,
            runtime: runtime,
            insecure: provider.insecure
        )
        do {
            _ = try await client.send(TokenRequest.refresh(Self.probe), deadline: .seconds(20))
            return .unknown(.client, "\(name): the provider accepted a made-up token, so this check is inconclusive")
        } catch OAuthError.Code.invalidGrant {
            return .ok(.client, "\(name) is known to the provider")
        } catch {
            let findings = Diagnosis(of: error, policy: provider.refreshTokenPolicy, now: runtime.now()).findings
            let isRefused = findings.contains {
                [.clientRefused, .clientDeleted, .adminPolicy, .organizationOnly].contains($0.code)
            }
            if isRefused { return .problem(.client, "\(name) is rejected", .refused, findings) }
            return .unknown(.client, "\(name): the response is inconclusive (\(ErrorReport(error).message))", findings)
        }
    }
}
