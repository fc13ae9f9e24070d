// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import Tessera

/// The redirect that closes the sign-in sheet.
enum SheetCallback: Sendable, Hashable {
    case customScheme(String)
    case https(host: String, path: String)

    /// The callback for a redirect URI.
    ///
    /// - Parameters:
    ///   - redirectURI: The redirect URI of the sign-in.
    ///   - supportsHTTPS: Whether this version of the system closes the sheet at an `https` redirect.
    /// - Throws: ``SignInError`` `invalidConfiguration` for a redirect URI that can never close the sheet.
    init(redirectURI: String, supportsHTTPS: Bool) throws(SignInError) {
        guard let url = URL(string: redirectURI), let scheme = url.scheme?.lowercased() else {
            throw Self.invalid("the redirect URI is not a URI")
        }
        guard scheme == "https" else {
            // RFC 8252, section 7.1: a private scheme is a domain name of the app's maker, reversed.
            guard scheme.contains(".") else { throw Self.invalid("the redirect URI's scheme has no dot") }
            self = .customScheme(scheme)
            return
        }
        guard let host = url.host(), !host.isEmpty else { throw Self.invalid("the redirect URI has no host") }
        guard supportsHTTPS else {
            throw Self.invalid(
                """
                an https redirect URI needs iOS 17.4, macOS 14.4 or visionOS 1.1. Use a redirect URI of a private scheme \
                on earlier versions
                """
            )
        }
        self = .https(host: host, path: url.path())
    }

    private static func invalid(_ detail: String) -> SignInError { SignInError(.invalidConfiguration, detail: detail) }
}
