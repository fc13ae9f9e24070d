// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Exceptions that weaken security and must be permitted explicitly.
///
/// - SeeAlso: [RFC 8252, section 8.3](https://www.rfc-editor.org/rfc/rfc8252.html#section-8.3)
public struct Insecure: OptionSet, Sendable, Hashable {
    /// The exceptions as bits.
    public let rawValue: Int
    /// Creates a set of exceptions from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Allows plain `http` to the address literals `127.0.0.0/8` and `[::1]` and to `localhost`, for tests and local
    /// providers.
    ///
    /// Other processes on the machine may listen on such an address.
    public static let loopbackHTTP = Insecure(rawValue: 1 << 0)

    /// Accepts a bearer token even if a key-bound token was requested (RFC 9449), for providers that fall back to
    /// bearer tokens.
    ///
    /// Anyone who obtains such a token can use it.
    public static let bearerInsteadOfDPoP = Insecure(rawValue: 1 << 1)

    /// Accepts redirects to a loopback address from any user's processes, for containers and proxies, where the kernel
    /// does not attribute the browser's connection to the user.
    ///
    /// Another user who learns the `state` of a sign-in can then complete it with a different account.
    public static let redirectsFromAnyUser = Insecure(rawValue: 1 << 2)

    /// Allows plain `http` to the metadata servers of cloud machines: `metadata.google.internal` and the link-local
    /// addresses `169.254.0.0/16`, `[fd20:ce::254]` and `[fd00:ec2::254]`.
    ///
    /// These servers have no certificates. Only the machine's host can answer at such an address, unless another machine
    /// controls the local network.
    public static let metadataServerHTTP = Insecure(rawValue: 1 << 3)

    /// Returns whether a request may be sent to a host, over https, or over http to a loopback host if ``loopbackHTTP``
    /// is set or to a metadata server if ``metadataServerHTTP`` is set.
    ///
    /// - Parameters:
    ///   - scheme: The scheme of the URL, in lowercase.
    ///   - host: The host of the URL. An IPv6 address is in brackets.
    /// - Returns: Whether the request may be sent.
    public func permits(scheme: String, host: some StringProtocol) -> Bool {
        guard scheme == "http" else { return scheme == "https" }
        return self.contains(.loopbackHTTP) && RequestTarget.isLoopback(host)
            || self.contains(.metadataServerHTTP) && RequestTarget.isMetadataServer(host)
    }
}
