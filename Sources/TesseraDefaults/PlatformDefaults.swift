// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
// The defaults return types from TesseraStores, so importing this module also imports TesseraStores.
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

/// The platform's default transport, store and browser.
public enum PlatformDefaults {
    /// The factories for the platform's stores, in addition to `file:` and `memory:`.
    public static var storeFactories: [StoreFactory] {
        #if canImport(Security)
        [.keychain]
        #elseif canImport(Glibc) || canImport(Musl)
        [.secretService]
        #else
        []
        #endif
    }

    /// Returns the URI of the default store in the format that `StoreURI` and the `--store` option use.
    ///
    /// | Platform | Store |
    /// | --- | --- |
    /// | iOS, tvOS, watchOS, visionOS, Mac Catalyst | `keychain:`, items that stay on the device |
    /// | macOS | encrypted files in `~/Library/Application Support/tessera/sessions` |
    /// | Linux | the store that the first sign-in selected (``StoreChoice``), which is read from a small file without contacting a keyring. Before the first sign-in, encrypted files in `$XDG_DATA_HOME/tessera/sessions` or `~/.local/share/tessera/sessions` |
    ///
    /// - Throws: `StoreError` with `unavailable` if there is no home directory, or with another code if the file that
    ///   contains the selected store cannot be read.
    public static func storeURI() throws -> StoreURI {
        #if canImport(Glibc) || canImport(Musl)
        if let location = ChosenStore.currentUser, let chosen = try location.read() { return try location.uri(chosen) }
        #endif
        #if canImport(Security) && !(canImport(AppKit) && !targetEnvironment(macCatalyst))
        return try StoreURI(parsing: "keychain:", factories: Self.storeFactories)
        #else
        return try Self.fileStoreURI()
        #endif
    }

    static func fileStoreURI() throws -> StoreURI {
        guard let directory = UserFolders.current.sessionDirectory else {
            throw StoreError(.unavailable, location: "the home directory", detail: "HOME is not set")
        }
        return try StoreURI(parsing: "file:\(directory)")
    }

    /// Returns the store that ``storeURI()`` identifies.
    ///
    /// The store does not access the disk or a keyring until it is used. Only the file that contains the selected store
    /// is read.
    ///
    /// - Throws: Any error that ``storeURI()`` throws.
    public static func store() throws -> any SessionStore { try self.storeURI().makeStore() }
}

#if !canImport(Darwin) || (canImport(AppKit) && !targetEnvironment(macCatalyst))
extension PlatformDefaults {
    /// Returns a user agent that opens the user's browser and receives the redirect at a loopback address.
    ///
    /// This method is not available on iOS, tvOS, watchOS and visionOS, which suspend an app while the user is in the
    /// browser.
    ///
    /// If no browser can be opened, a program in a terminal prints instructions to standard error and accepts a pasted
    /// redirect URL. Outside a terminal, the sign-in throws `SignInError` with `noBrowser`.
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
    /// Returns a transport based on URLSession, which uses the system's proxies and certificates.
    public static func transport(insecure: Insecure = []) -> any HTTPTransport {
        URLSessionTransport(insecure: insecure)
    }
}
#elseif canImport(Glibc) || canImport(Musl)
extension PlatformDefaults {
    /// Returns a transport based on libcurl.
    ///
    /// The transport does not allocate any resources before the first request.
    public static func transport(insecure: Insecure = []) -> any HTTPTransport {
        CurlTransport(insecure: insecure)
    }
}
#elseif AsyncHTTPClient
extension PlatformDefaults {
    /// Returns a transport based on async-http-client.
    ///
    /// The transport does not allocate any resources before the first request.
    public static func transport(insecure: Insecure = []) -> any HTTPTransport {
        AsyncHTTPClientTransport(insecure: insecure)
    }
}
#else
extension PlatformDefaults {
    /// Not available on this platform without the package trait `AsyncHTTPClient`.
    @available(*, unavailable, message: "Enable the package trait 'AsyncHTTPClient', or pass a transport to SignIn.")
    public static func transport(insecure: Insecure = []) throws -> any HTTPTransport {
        throw TransportError(.cannotConnect)
    }
}
#endif

extension PlatformDefaults {
    /// Returns the certificate that a server presents, even if it is not trusted, to explain a failed TLS handshake.
    ///
    /// No request is sent. The result is nil if there is no handshake and on platforms other than Linux.
    public static func serverCertificate(of host: String, port: Int) async -> ServerCertificate? {
        #if canImport(Glibc) || canImport(Musl)
        await CurlTransport.shared.shownCertificate(of: host, port: port)
        #else
        nil
        #endif
    }

    /// Returns the proxy that the environment specifies for a host, without its credentials.
    ///
    /// The result is nil if the environment does not specify a proxy and on platforms other than Linux.
    public static func proxyName(for host: String) -> String? {
        #if canImport(Glibc) || canImport(Musl)
        CurlTransport.shared.proxyName(for: host)
        #else
        nil
        #endif
    }
}
