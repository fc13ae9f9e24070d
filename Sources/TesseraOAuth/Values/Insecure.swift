// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Permissions that weaken security, each spelled out where it is given.
///
/// - SeeAlso: [RFC 8252, section 8.3](https://www.rfc-editor.org/rfc/rfc8252.html#section-8.3)
public struct Insecure: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int
    /// Permissions from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Plain `http` to `127.0.0.0/8` and `[::1]`, written as address literals, or to `localhost`: for tests and local
    /// providers.
    ///
    /// Other processes of this machine may listen there.
    public static let loopbackHTTP = Insecure(rawValue: 1 << 0)

    /// A bearer token in answer to a request for one that is bound to a key (RFC 9449): for providers that fall back.
    ///
    /// Whoever gets hold of such a token can use it.
    public static let bearerInsteadOfDPoP = Insecure(rawValue: 1 << 1)

    /// Redirects to a loopback address from the processes of all users of the machine: for containers and proxies, where the
    /// kernel does not attribute the browser's connection to the user.
    ///
    /// Another user who learns the `state` of a sign-in can then complete it with another account.
    public static let redirectsFromAnyUser = Insecure(rawValue: 1 << 2)

    /// Returns whether a request may be sent to a host: over https, or over http to a loopback host where
    /// ``loopbackHTTP`` permits it.
    ///
    /// - Parameters:
    ///   - scheme: The scheme of the URL, in lower case.
    ///   - host: The host of the URL. An IPv6 address is in brackets.
    /// - Returns: Whether the request may be sent.
    public func permits(scheme: String, host: some StringProtocol) -> Bool {
        scheme == "https" || (scheme == "http" && self.contains(.loopbackHTTP) && RequestTarget.isLoopback(host))
    }
}
