// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import HTTPTypes
internal import Tessera
internal import TesseraDefaults
internal import TesseraJOSE
internal import TesseraOAuth

/// Checks the connection to a provider by requesting its metadata, and examines the certificate if TLS fails.
struct ProviderExamination: Sendable {
    let clock: HealthCheck
    let network: HealthCheck
    let tls: HealthCheck
    let provider: HealthCheck
    /// The provider's metadata, or nil if it is unavailable.
    let metadata: ServerMetadata?

    var checks: [HealthCheck] { [self.clock, self.network, self.tls, self.provider] }

    /// Requests the provider's metadata and runs the checks.
    init(of provider: Provider, runtime: OAuthRuntime) async {
        let location = Location(provider)
        let sentAt = runtime.now()
        do {
            let (response, body, request) = try await Self.ask(provider, runtime)
            self.clock = Self.clock(response, location, sentAt: sentAt, receivedAt: runtime.now())
            self.network = .ok(.network, "\(location.host) responds\(location.proxyDescription)")
            self.tls = await Self.tls(location, accepted: true, now: runtime.now())
            (self.provider, self.metadata) = Self.metadata(location, response, body, request)
        } catch {
            let unknown = "unknown: \(location.host) did not respond"
            let findings = Diagnosis(of: error, policy: location.policy, now: runtime.now()).findings
            let isTLS = TransportError.Code.tls ~= error
            self.clock = .unknown(.clock, unknown)
            self.network =
                isTLS
                ? .ok(.network, "\(location.host) can be reached\(location.proxyDescription)")
                : .failure(.network, error, findings)
            self.tls =
                isTLS
                ? await Self.tls(location, accepted: false, now: runtime.now(), otherwise: findings)
                : .unknown(.tls, unknown)
            self.provider = .unknown(.provider, unknown)
            self.metadata = nil
        }
    }

    /// The address of a provider and its refresh token policy.
    private struct Location {
        let name: String
        let host: String
        let port: Int
        let isEncrypted: Bool
        let policy: RefreshTokenPolicy?

        init(_ provider: Provider) {
            let parts = URLComponents(string: provider.issuer.url)
            self.name = UntrustedText.printable(provider.name, limit: 60)
            self.host = parts?.encodedHost ?? provider.issuer.url
            self.port = parts?.port ?? (parts?.scheme == "http" ? 80 : 443)
            self.isEncrypted = parts?.scheme == "https"
            self.policy = provider.refreshTokenPolicy
        }

        /// A description of the proxy, or an empty string if no proxy is used.
        var proxyDescription: String {
            PlatformDefaults.proxyName(for: self.host).map { ", through the proxy \($0)" } ?? ""
        }
    }

    private static func ask(
        _ provider: Provider,
        _ runtime: OAuthRuntime
    ) async throws -> (HTTPResponse, [UInt8], MetadataRequest) {
        var request = MetadataRequest(.openIDConnect, of: provider.issuer, insecure: provider.insecure)
        var (response, body) = try await runtime.exchange(try request.message(), deadline: .seconds(20))
        if response.status == .notFound {
            request = MetadataRequest(.authorizationServer, of: provider.issuer, insecure: provider.insecure)
            (response, body) = try await runtime.exchange(try request.message(), deadline: .seconds(20))
        }
        return (response, body, request)
    }

    private static func clock(
        _ response: HTTPResponse,
        _ location: Location,
        sentAt: Date,
        receivedAt: Date
    ) -> HealthCheck {
        guard let date = response.serverDate else {
            return .unknown(.clock, "\(location.name) does not report its time")
        }
        let ahead = ClockSkew.seconds(serverDate: date, sentAt: sentAt, receivedAt: receivedAt)
        return .clock(ahead: ahead, of: location.name)
    }

    private static func tls(
        _ location: Location,
        accepted: Bool,
        now: Date,
        otherwise: [Finding] = []
    ) async -> HealthCheck {
        guard location.isEncrypted else {
            return .ok(.tls, "none: \(location.name) is on this machine, over plain http")
        }
        guard let shown = await PlatformDefaults.serverCertificate(of: location.host, port: location.port) else {
            return accepted
                ? .ok(.tls, "the certificate is accepted")
                : .problem(.tls, "the certificate is not accepted", .network, otherwise)
        }
        guard accepted else {
            let finding = Diagnosis.rejectedCertificate(shown, at: location.host, policy: location.policy, now: now)
            return .problem(.tls, "the certificate is not accepted", .network, finding.map { [$0] } ?? otherwise)
        }
        let issuer = shown.issuer.map { "“\(UntrustedText.printable($0, limit: 80))”" } ?? "an unnamed issuer"
        let file =
            Environment.value("SSL_CERT_FILE").map { "; SSL_CERT_FILE adds \($0)" } ?? ""
        let words = "the certificate is signed by \(issuer), and accepted\(file)"
        guard let finding = Diagnosis.unusualCertificate(shown, at: location.host, policy: location.policy) else {
            return .ok(.tls, words)
        }
        return .unknown(.tls, words, [finding])
    }

    private static func metadata(
        _ location: Location,
        _ response: HTTPResponse,
        _ body: [UInt8],
        _ request: MetadataRequest
    ) -> (HealthCheck, ServerMetadata?) {
        do {
            let metadata = try request.metadata(status: Int(response.status.code), body: body)
            return (.ok(.provider, "\(location.name)'s metadata is valid"), metadata)
        } catch {
            let isPage = response.headerFields[.contentType]?.lowercased().hasPrefix("text/html") == true
            let page = Finding(
                Finding.Code("webPage", fix: "Open a web page in the browser and sign in to the network."),
                .likely,
                "The response is a web page. This network requires you to sign in, or the issuer is wrong."
            )
            return (.failure(.provider, error, isPage ? [page] : []), nil)
        }
    }
}
