// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import HTTPTypes
internal import Tessera
internal import TesseraConsole
internal import TesseraDefaults
internal import TesseraGoogle
internal import TesseraOAuth

/// Checks credentials without a user: the search, the file, the clock and a token request.
struct CredentialExamination: Sendable {
    let choice: CredentialChoice
    let requestsToken: Bool

    /// Runs the checks.
    ///
    /// - Throws: `CancellationError`.
    func report() async throws -> HealthReport {
        let exchange = LastExchange()
        var runtime = PlatformDefaults.credentialRuntime()
        runtime.transport = TimedTransport(transport: runtime.transport, exchange: exchange, now: runtime.now)
        let credentials: GoogleCredentials
        do {
            credentials = try await self.choice.credentials(
                scopes: nil,
                isSilent: true,
                isOffline: !self.requestsToken,
                runtime: runtime
            )
        } catch is CancellationError {
            throw CancellationError()
        } catch GoogleCredentialsError.Code.notFound where !self.requestsToken {
            return HealthReport([.unknown(.credentials, "the metadata server was not asked, because of --offline")])
        } catch {
            return HealthReport([self.failure(.credentials, error)])
        }
        var checks = [self.found(credentials)]
        if let path = self.choice.file(of: credentials) { checks.append(Self.file(path)) }
        guard self.requestsToken else {
            return HealthReport(checks + [.unknown(.token, "not requested, because of --offline")])
        }
        let token = try await self.token(credentials)
        return HealthReport(checks + [exchange.check, token])
    }

    private func failure(_ subject: HealthCheck.Subject, _ error: any Error, _ kind: GoogleCredentialKind? = nil)
        -> HealthCheck
    {
        .failure(subject, self.choice.explained(error, kind), [])
    }

    private func found(_ credentials: GoogleCredentials) -> HealthCheck {
        let source =
            switch self.choice.source {
            case .file: "--credentials"
            case .search: credentials.search.last?.source.rawValue ?? "the environment"
            }
        let subject = self.choice.subject.map { ", to act as \(UntrustedText.printable($0, limit: 80))" } ?? ""
        return .ok(.credentials, "\(credentials.kind.rawValue), found by \(source)\(subject)")
    }

    private static func file(_ path: String) -> HealthCheck {
        guard FileBytes.isOpenToOthers(path) else { return .ok(.file, "\(path) can be read only by its owner") }
        let finding = Finding(Finding.Code("openFile", fix: "Run 'chmod 600 \(path)'."), .certain, "")
        return .unknown(.file, "\(path) can be read by other users", [finding])
    }

    private func token(_ credentials: GoogleCredentials) async throws -> HealthCheck {
        do {
            let token = try await credentials.accessToken()
            let end = token.expiresAt.map { ", expires \(TimeText.relative($0, to: WallClock.now))" } ?? ""
            let scopes = credentials.scopes.map(\.rawValue).joined(separator: " ")
            return .ok(.token, "received\(scopes.isEmpty ? "" : " for \(scopes)")\(end)")
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return self.failure(.token, error, credentials.kind)
        }
    }
}

/// The times of the last response with a date.
private final class LastExchange: Sendable {
    private struct Times {
        let server: String
        let date: Date
        let sentAt: Date
        let receivedAt: Date
    }

    private let times = Mutex<Times?>(nil)

    func record(_ response: HTTPResponse, from server: String, sentAt: Date, receivedAt: Date) {
        guard let date = response.serverDate else { return }
        self.times.withLock { $0 = Times(server: server, date: date, sentAt: sentAt, receivedAt: receivedAt) }
    }

    /// The check of the local clock.
    var check: HealthCheck {
        guard let times = self.times.withLock({ $0 }) else {
            return .unknown(.clock, "unknown: no server reported its time")
        }
        let ahead = ClockSkew.seconds(serverDate: times.date, sentAt: times.sentAt, receivedAt: times.receivedAt)
        return .clock(ahead: ahead, of: UntrustedText.printable(times.server, limit: 60))
    }
}

/// A transport that records when the last response with a date was sent and received.
private struct TimedTransport: HTTPTransport {
    let transport: any HTTPTransport
    let exchange: LastExchange
    let now: @Sendable () -> Date

    func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
        let sentAt = self.now()
        let (response, body) = try await self.transport.send(request, body: body)
        self.exchange.record(response, from: request.authority ?? "", sentAt: sentAt, receivedAt: self.now())
        return (response, body)
    }
}
