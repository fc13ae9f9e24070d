// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import HTTPTypes
internal import Tessera
internal import TesseraDefaults
internal import TesseraJOSE
internal import TesseraOAuth

/// Checks the connection to a provider: requests its metadata, and examines the certificate if TLS fails.
struct ProviderExamination: Sendable {
    let clock: HealthCheck
    let network: HealthCheck
    let tls: HealthCheck
    let provider: HealthCheck
    /// The provider's metadata, or nil if unavailable.
    let metadata: ServerMetadata?

    var checks: [HealthCheck] { [self.clock, self.network, self.tls, self.provider] }

    /// Asks a provider.
    init(of provider: Provider, runtime: OAuthRuntime) async {
        let place = Place(provider)
        let sentAt = runtime.now()
        do {
            let (response, body, request) = try await Self.ask(provider, runtime)
            self.clock = Self.clock(response, place, sentAt: sentAt, receivedAt: runtime.now())
            self.network = .ok(.network, "\(place.host) responds\(place.way)")
            self.tls = await Self.tls(place, accepted: true, now: runtime.now())
            (self.provider, self.metadata) = Self.metadata(place, response, body, request)
        } catch {
            let unknown = "unknown: \(place.host) did not respond"
            let findings = Diagnosis(of: error, rules: place.rules, now: runtime.now()).findings
            let isTLS = TransportError.Code.tls ~= error
            self.clock = .unknown(.clock, unknown)
            self.network =
                isTLS
                ? .ok(.network, "\(place.host) can be reached\(place.way)")
                : .failure(.network, error, findings)
            self.tls =
                isTLS
                ? await Self.tls(place, accepted: false, now: runtime.now(), otherwise: findings)
                : .unknown(.tls, unknown)
            self.provider = .unknown(.provider, unknown)
            self.metadata = nil
        }
    }

    /// A provider's location and rules.
    private struct Place {
        let name: String
        let host: String
        let port: Int
        let isEncrypted: Bool
        let rules: GrantRules?

        init(_ provider: Provider) {
            let parts = URLComponents(string: provider.issuer.url)
            self.name = UntrustedText.printable(provider.name, limit: 60)
            self.host = parts?.encodedHost ?? provider.issuer.url
            self.port = parts?.port ?? (parts?.scheme == "http" ? 80 : 443)
            self.isEncrypted = parts?.scheme == "https"
            self.rules = provider.grantRules
        }

        /// A description of the proxy, if any.
        var way: String { PlatformDefaults.proxyName(for: self.host).map { ", through the proxy \($0)" } ?? "" }
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
        _ place: Place,
        sentAt: Date,
        receivedAt: Date
    ) -> HealthCheck {
        guard let date = response.serverDate else { return .unknown(.clock, "\(place.name) does not report its time") }
        let ahead = ClockSkew.seconds(serverDate: date, sentAt: sentAt, receivedAt: receivedAt)
        if let finding = Diagnosis.wrongClock(ahead: ahead) {
            return .problem(.clock, finding.found, .usage, [finding])
        }
        let difference = ahead == 0 ? "as" : "\(ahead.magnitude) s \(ahead > 0 ? "ahead of" : "behind")"
        return .ok(.clock, "\(difference) \(place.name)'s")
    }

    private static func tls(
        _ place: Place,
        accepted: Bool,
        now: Date,
        otherwise: [Finding] = []
    ) async -> HealthCheck {
        guard place.isEncrypted else { return .ok(.tls, "none: \(place.name) is on this machine, over plain http") }
        guard let shown = await PlatformDefaults.serverCertificate(of: place.host, port: place.port) else {
            return accepted
                ? .ok(.tls, "the certificate is accepted")
                : .problem(.tls, "the certificate is not accepted", .network, otherwise)
        }
        guard accepted else {
            let finding = Diagnosis.rejectedCertificate(shown, at: place.host, rules: place.rules, now: now)
            return .problem(.tls, "the certificate is not accepted", .network, finding.map { [$0] } ?? otherwise)
        }
        let issuer = shown.issuer.map { "“\(UntrustedText.printable($0, limit: 80))”" } ?? "an unnamed issuer"
        let file =
            Environment.value("SSL_CERT_FILE").map { "; SSL_CERT_FILE adds \($0)" } ?? ""
        let words = "the certificate is signed by \(issuer), and accepted\(file)"
        guard let finding = Diagnosis.unusualCertificate(shown, at: place.host, rules: place.rules) else {
            return .ok(.tls, words)
        }
        return .unknown(.tls, words, [finding])
    }

    private static func metadata(
        _ place: Place,
        _ response: HTTPResponse,
        _ body: [UInt8],
        _ request: MetadataRequest
    ) -> (HealthCheck, ServerMetadata?) {
        do {
            let metadata = try request.metadata(status: Int(response.status.code), body: body)
            return (.ok(.provider, "\(place.name)'s metadata is valid"), metadata)
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
