// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
// A program can name the stores that the defaults choose from without another import.
@_exported public import TesseraStores
public import TesseraOAuth
internal import TesseraSupport
internal import TesseraUserAgents

#if canImport(Darwin)
internal import Darwin
internal import TesseraURLSession
#elseif canImport(Glibc) || canImport(Musl)
internal import TesseraCurl
internal import TesseraSecretService
#elseif AsyncHTTPClient
internal import TesseraAsyncHTTPClient
#endif

/// What a platform's programs use when nobody says otherwise.
///
/// The only place that chooses.
public enum PlatformDefaults {
    /// The kinds of store that are known here beside `file:` and `memory:`.
    public static var storeFactories: [StoreFactory] {
        #if canImport(Security)
        [.keychain]
        #elseif canImport(Glibc) || canImport(Musl)
        [.secretService]
        #else
        []
        #endif
    }

    /// The default store, in the form that `--store` and `StoreURI` take.
    ///
    /// | Platform | Store |
    /// | --- | --- |
    /// | iOS, tvOS, watchOS, visionOS, Mac Catalyst | `keychain:`, items that stay on the device |
    /// | macOS | encrypted files in `~/Library/Application Support/tessera/sessions` |
    /// | Linux | the store that the first sign-in chose, see ``StoreChoice``: one small file is read, no keyring is asked. Before the first sign-in, encrypted files in `$XDG_DATA_HOME/tessera/sessions`, else `~/.local/share/tessera/sessions` |
    ///
    /// - Throws: `StoreError` `unavailable` where no home directory is known; what is wrong with the file that holds the
    ///   choice.
    public static func storeURI() throws -> StoreURI {
        #if canImport(Glibc) || canImport(Musl)
        if let place = ChosenStore.ofUser, let chosen = try place.read() { return try place.uri(chosen) }
        #endif
        #if canImport(Security) && !(canImport(AppKit) && !targetEnvironment(macCatalyst))
        return try StoreURI(parsing: "keychain:", factories: Self.storeFactories)
        #else
        return try Self.fileStoreURI()
        #endif
    }

    static func fileStoreURI() throws -> StoreURI {
        guard let directory = UserPlaces.current.sessionDirectory else {
            throw StoreError(.unavailable, place: "the home directory", detail: "HOME is not set")
        }
        return try StoreURI(parsing: "file:\(directory)")
    }

    /// The store of ``storeURI()``.
    ///
    /// Neither a disk nor a keyring is touched before it is used, but for the choice.
    ///
    /// - Throws: as ``storeURI()`` does.
    public static func store() throws -> any SessionStore { try self.storeURI().makeStore() }
}

#if !canImport(Darwin) || (canImport(AppKit) && !targetEnvironment(macCatalyst))
extension PlatformDefaults {
    /// The user's browser, with the redirect to a loopback address.
    ///
    /// It does not exist on iOS, tvOS, watchOS and visionOS, which suspend an app while its user is in the browser.
    ///
    /// If no browser can be opened, a program in a terminal prints instructions on standard error and accepts a pasted
    /// redirect; elsewhere the sign-in fails with `SignInError` `noBrowser`.
    public static func userAgent() -> any UserAgent {
        guard isatty(0) == 1, isatty(2) == 1 else { return SystemBrowser() }
        return SystemBrowser(
            pasted: .standardInput { message in Self.say(message + "\n") },
            announce: { notice in Self.say(notice.text) },
            warn: { message in Self.say(message + "\n") }
        )
    }

    private static func say(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}
#endif

#if canImport(Darwin)
extension PlatformDefaults {
    /// The network through URLSession: it knows the system's proxies and certificates.
    public static func transport(permitting insecure: Insecure = []) -> any HTTPTransport {
        URLSessionTransport(permitting: insecure)
    }
}
#elseif canImport(Glibc) || canImport(Musl)
extension PlatformDefaults {
    /// The network through libcurl.
    ///
    /// Nothing is started before the first request.
    public static func transport(permitting insecure: Insecure = []) -> any HTTPTransport {
        CurlTransport(permitting: insecure)
    }
}
#elseif AsyncHTTPClient
extension PlatformDefaults {
    /// The network through async-http-client.
    ///
    /// Nothing is started before the first request.
    public static func transport(permitting insecure: Insecure = []) -> any HTTPTransport {
        AsyncHTTPClientTransport(permitting: insecure)
    }
}
#else
extension PlatformDefaults {
    /// This platform has no transport without the package trait `AsyncHTTPClient`.
    @available(*, unavailable, message: "Enable the package trait 'AsyncHTTPClient', or give SignIn a transport.")
    public static func transport(permitting insecure: Insecure = []) throws -> any HTTPTransport {
        throw TransportError(.cannotConnect)
    }
}
#endif

extension PlatformDefaults {
    /// Returns the certificate that a server presents, verified or not, to explain a failed TLS handshake.
    ///
    /// No request is sent. Nil if there is no handshake, and outside of Linux.
    public static func serverCertificate(of host: String, port: Int) async -> ServerCertificate? {
        #if canImport(Glibc) || canImport(Musl)
        await CurlTransport.shared.shownCertificate(of: host, port: port)
        #else
        nil
        #endif
    }

    /// Returns the proxy that the environment names for a host, without credentials; nil if there is none, and outside of
    /// Linux.
    public static func proxyName(for host: String) -> String? {
        #if canImport(Glibc) || canImport(Musl)
        CurlTransport.shared.proxyName(for: host)
        #else
        nil
        #endif
    }
}
