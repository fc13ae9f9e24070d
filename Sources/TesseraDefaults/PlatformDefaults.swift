// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Tessera
internal import TesseraUserAgents

#if canImport(Darwin)
internal import Darwin
internal import TesseraURLSession
#elseif AsyncHTTPClient
internal import TesseraAsyncHTTPClient
#endif
#if canImport(Glibc) || canImport(Musl)
internal import TesseraSecretService
#endif
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Android)
internal import Android
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

    /// Where sessions lie, in the form that `--store` and `StoreURI` take.
    ///
    /// On Linux what the first sign-in chose, see ``StoreChoice``: one small file is read, no keyring is asked. Before it,
    /// and on Apple's systems, encrypted files: `file:` and `$XDG_DATA_HOME/tessera/sessions`, else
    /// `~/.local/share/tessera/sessions`; there `~/Library/Application Support/tessera/sessions`.
    ///
    /// - Throws: `StoreError` `unavailable` where no home directory is known; what is wrong with the file that holds the
    ///   choice.
    public static func storeURI() throws(StoreError) -> StoreURI {
        #if canImport(Glibc) || canImport(Musl)
        if let place = ChosenStore.ofUser, let chosen = try place.read() { return try place.uri(chosen) }
        #endif
        return try Self.fileStoreURI()
    }

    static func fileStoreURI() throws(StoreError) -> StoreURI {
        guard let directory = UserPlaces.sessionDirectory else {
            throw StoreError(.unavailable, place: "the home directory", detail: "HOME is not set")
        }
        return try StoreURI(parsing: "file:\(directory)")
    }

    /// The store of ``storeURI()``.
    ///
    /// Neither a disk nor a keyring is touched before it is used, but for the choice.
    ///
    /// - Throws: as ``storeURI()`` does.
    public static func store() throws(StoreError) -> any SessionStore { try self.storeURI().makeStore() }

    /// The person's own browser, with the redirect on a loopback address.
    ///
    /// In a terminal it says on standard error what to do where no browser can be opened, and takes a pasted redirect;
    /// elsewhere such a sign-in fails with `SignInError` `noBrowser`.
    public static func userAgent() -> any UserAgent {
        guard isatty(0) == 1, isatty(2) == 1 else { return SystemBrowser() }
        return SystemBrowser(
            pasted: .standardInput { message in Self.say(message + "\n") },
            announce: { notice in Self.say(notice.text) }
        )
    }

    private static func say(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}

#if canImport(Darwin)
extension PlatformDefaults {
    /// The network through URLSession: it knows the system's proxies and certificates.
    public static func transport(permitting insecure: Insecure = []) -> any HTTPTransport {
        URLSessionTransport(permitting: insecure)
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
