// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// The servers that secrets may be sent to.
///
/// A credential file comes from outside and must not redirect secrets. Its endpoints must be those of the services that
/// expect them, at Google or in the universe that the caller named, or belong to an origin that the caller trusts. Other
/// services of Google can store what they receive for anyone.
struct EndpointTrust: Sendable {
    /// The endpoint that a member of a credential file names.
    enum Member: String {
        case tokenURI = "token_uri"
        case tokenURL = "token_url"
        case impersonationURL = "service_account_impersonation_url"
    }

    /// The default universe.
    static let defaultUniverse = "googleapis.com"

    /// The universe that the caller named, or the default one.
    let universeDomain: String
    let trustedOrigins: [OriginPattern]

    /// Returns an endpoint after checking that secrets may be sent to it.
    ///
    /// - Throws: ``GoogleCredentialsError`` with `untrustedEndpoint` or `invalidFile`.
    func endpoint(_ url: String, _ member: Member, of file: String?) throws -> Endpoint {
        let name = member.rawValue
        let endpoint: Endpoint
        do {
            endpoint = try Endpoint(url, name: name, insecure: .loopbackHTTP)
        } catch {
            throw GoogleCredentialsError(.invalidFile, at: file, reason: "\(name) is not a secure URL")
        }
        guard self.permits(endpoint.parts, as: member) else {
            let place = UntrustedText.printable((endpoint.parts.authority ?? "") + endpoint.parts.path)
            throw GoogleCredentialsError(
                .untrustedEndpoint,
                at: file,
                reason: "\(name) is \(place), which is not such an endpoint of \(self.universeDomain)"
            )
        }
        return endpoint
    }

    private func permits(_ parts: URIParts, as member: Member) -> Bool {
        if self.trustedOrigins.contains(where: { $0.contains(scheme: parts.scheme, authority: parts.authority) }) {
            return true
        }
        guard parts.scheme == "https", parts.effectivePort == 443, parts.query == nil, let host = parts.host else {
            return false
        }
        let path = parts.path
        switch member {
        case .tokenURI:
            // Old key files name earlier endpoints.
            let known = ["/token", "/o/oauth2/token", "/oauth2/v3/token", "/oauth2/v4/token"]
            let isEarlier = ["accounts.google.com", "www.googleapis.com"].contains(host)
            return (isEarlier || self.isService("oauth2", host)) && known.contains(path)
        case .tokenURL:
            return self.isService("sts", host) && ["/v1/token", "/v1/oauthtoken"].contains(path)
        case .impersonationURL:
            let (start, end) = ("/v1/projects/-/serviceAccounts/", ":generateAccessToken")
            return self.isService("iamcredentials", host) && path.hasPrefix(start) && path.hasSuffix(end)
                && !path.dropFirst(start.count).contains("/")
        }
    }

    /// Returns whether a host belongs to a service, such as `sts.googleapis.com`, `sts.mtls.googleapis.com`,
    /// `us-east1-sts.googleapis.com` or `sts.us-east1.rep.googleapis.com`.
    private func isService(_ name: String, _ host: String) -> Bool {
        guard let universe = [Self.defaultUniverse, self.universeDomain].first(where: { host.hasSuffix("." + $0) })
        else { return false }
        let labels = host.dropLast(universe.count + 1).split(separator: ".", omittingEmptySubsequences: false)
        // Of the other services of Google, only Cloud Storage has hosts that its customers name.
        guard !labels.contains(where: { $0.hasSuffix("storage") }) else { return false }
        return labels.contains { $0 == name || $0.hasPrefix(name + "-") || $0.hasSuffix("-" + name) }
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
