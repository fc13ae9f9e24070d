// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
public import TesseraJOSE
internal import TesseraOAuth

/// How a local provider is set up.
public struct LocalProviderOptions: Sendable {
    /// The address to listen at: a loopback address, unless other machines are to reach the provider.
    public var host = "127.0.0.1"
    /// The port; 0 takes a free one.
    public var port = 0
    /// Where others reach the provider, without a slash at the end; nil for where it listens.
    ///
    /// For a provider behind a proxy, or in a container whose port has another number outside.
    public var publicURL: String?
    /// The directory whose files the small Drive serves; nil serves a few built-in samples from memory.
    ///
    /// Only regular files directly in it are seen, never hidden files and never what a symbolic link points to. New
    /// files are written into it, and a hidden index of them. Uploads that are not complete are hidden files, which the
    /// next start deletes: two providers do not share a directory.
    public var dataDirectory: String?
    /// How long an access token and an ID token live, in seconds.
    public var accessTokenLifetime = 3600
    /// Whether a refresh gives a new refresh token and ends the old one; an old one used again ends the whole session.
    public var rotateRefreshTokens = false
    /// Whether to serve https, with a certificate of an authority made for this run.
    public var tls = false
    /// Where to write that authority's certificate (PEM); nil writes it nowhere.
    public var certificateAuthorityFile: String?
    /// The algorithm that signs ID tokens.
    public var signingAlgorithm: JWSAlgorithm = .rs256
    /// The people who can sign in.
    public var accounts = LocalProviderAccount.samples
    /// The registered programs; the first is the provider's ``LocalProvider/clientID``.
    public var clients = [LocalProviderClient.desktop]
    /// Scopes known besides Google's common ones, with the words that the consent page says for each.
    public var additionalScopes: [String: String] = [:]
    /// The switches for tests, as they are set at the start.
    public var behaviour = Behaviour()
    /// The wall clock.
    public var now: @Sendable () -> Date = { Date() }
    /// Random bytes for codes, tokens and secrets of forms.
    public var randomBytes: @Sendable (_ count: Int) -> [UInt8] = { count in
        var generator = SystemRandomNumberGenerator()
        return (0..<max(count, 0)).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    /// The defaults: a random port of 127.0.0.1, two people, one desktop client, sample files.
    public init() {}
}

extension LocalProviderOptions {
    /// Whether only this machine reaches a ``host``: `localhost`, `::1` or an address in 127.0.0.0/8.
    package static func isLoopback(_ host: String) -> Bool {
        RequestTarget.isLoopback(host.lowercased()) || host == "::1"
    }

    func validate() throws(LocalProviderError) {
        guard (0...65_535).contains(self.port) else {
            throw LocalProviderError(.invalidOption, "The port must be between 0 and 65535.")
        }
        guard (1...31_536_000).contains(self.accessTokenLifetime) else {
            throw LocalProviderError(.invalidOption, "The access token lifetime must be between 1 second and a year.")
        }
        let hostBytes = self.host.utf8
        guard !hostBytes.isEmpty,
            hostBytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Array("/\\\"@?#".utf8).contains($0) })
        else {
            throw LocalProviderError(.invalidOption, "The host must be a name or an address of this machine.")
        }
        if let publicURL {
            guard let parts = URIParts(publicURL), ["http", "https"].contains(parts.scheme), parts.host != nil,
                parts.userinfo == nil, parts.path.isEmpty, parts.query == nil, parts.fragment == nil
            else {
                throw LocalProviderError(
                    .invalidOption,
                    "The public URL must be http or https, a host, and perhaps a port: no path, and no slash at the end."
                )
            }
        }
        guard Set(self.accounts.map(\.subject)).count == self.accounts.count,
            Set(self.accounts.map { $0.email.lowercased() }).count == self.accounts.count
        else { throw LocalProviderError(.invalidOption, "Two accounts have the same subject or email address.") }
        guard Set(self.clients.map(\.id)).count == self.clients.count else {
            throw LocalProviderError(.invalidOption, "Two clients have the same identifier.")
        }
    }
}
#endif
