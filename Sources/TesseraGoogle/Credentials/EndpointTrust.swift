// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// The servers that secrets may be sent to.
///
/// A credential file comes from outside and must not redirect secrets. Its endpoints must belong to Google, to the
/// universe that the caller named, or to an origin that the caller trusts.
struct EndpointTrust: Sendable {
    /// The default universe.
    static let defaultUniverse = "googleapis.com"

    /// The universe that the caller named, or the default one.
    let universeDomain: String
    let trustedOrigins: [OriginPattern]

    /// Returns an endpoint after checking that secrets may be sent to it.
    ///
    /// - Throws: ``GoogleCredentialsError`` with `untrustedEndpoint` or `invalidFile`.
    func endpoint(_ url: String, _ name: String, of file: String?) throws -> Endpoint {
        let endpoint: Endpoint
        do {
            endpoint = try Endpoint(url, name: name, insecure: .loopbackHTTP)
        } catch {
            throw GoogleCredentialsError(.invalidFile, at: file, reason: "\(name) is not a secure URL")
        }
        guard self.permits(endpoint.parts) else {
            let host = UntrustedText.printable(endpoint.parts.authority ?? "")
            throw GoogleCredentialsError(
                .untrustedEndpoint,
                at: file,
                reason: "\(name) is at \(host), which does not belong to \(self.universeDomain)"
            )
        }
        return endpoint
    }

    func permits(_ parts: URIParts) -> Bool {
        if self.trustedOrigins.contains(where: { $0.contains(scheme: parts.scheme, authority: parts.authority) }) {
            return true
        }
        guard parts.scheme == "https", parts.effectivePort == 443, let host = parts.host else { return false }
        // Old key files name the token endpoint at accounts.google.com.
        return GoogleEndpoints.isGoogle(parts)
            || [Self.defaultUniverse, self.universeDomain].contains { host == $0 || host.hasSuffix("." + $0) }
    }

    /// Returns the endpoint of one of Google's services in this universe.
    func service(_ name: String, path: String) throws -> Endpoint {
        try Endpoint("https://\(name).\(self.universeDomain)\(path)", name: name)
    }

    /// The origins that the tokens may be sent to: the APIs of this universe, and the trusted origins.
    var authorizedOrigins: [OriginPattern] {
        ((try? OriginPattern("https://*.\(self.universeDomain)")).map { [$0] } ?? []) + self.trustedOrigins
    }

    /// Checks that a file's universe is the one that the caller named.
    func check(universe: String?, of file: String?) throws {
        guard let universe, universe != self.universeDomain else { return }
        throw GoogleCredentialsError(
            .universeMismatch,
            at: file,
            reason: "the credentials belong to the universe \(UntrustedText.printable(universe)), but the caller uses "
                + self.universeDomain
        )
    }
}
