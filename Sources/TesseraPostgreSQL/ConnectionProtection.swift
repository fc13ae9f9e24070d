// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// What is added to an address so that a password goes to the right server only.
///
/// By itself libpq tells the password to any server that asks for it, with or without TLS. So a server that is neither on
/// this machine nor behind a Unix socket has to prove by its certificate that it is the named one. Where the user chose a
/// mode that does not prove it, the server must use SCRAM, which tells it no password.
struct ConnectionProtection: Equatable {
    /// Parameters of libpq, each with the reason for it.
    private(set) var added: [Addition] = []
    /// Whether there is a server to be verified at all.
    private(set) var isRemote = false

    struct Addition: Equatable {
        let name: String
        let value: String
    }

    var parameters: [(name: String, value: Secret)] { self.added.map { ($0.name, Secret($0.value)) } }

    /// - Parameters:
    ///   - settings: what libpq makes of the address, the service file and the environment.
    ///   - rootCertificates: a file with the certificates that this system trusts, nil where none is known.
    ///   - place: what an error names.
    /// - Throws: ``StoreError`` `unverifiedServer` with a libpq that can neither be told to require SCRAM nor a binding to
    ///   the server's certificate.
    init(
        _ settings: ConnectionSettings,
        rootCertificates: RootCertificates,
        place: String
    ) throws(StoreError) {
        guard settings.hasRemoteServer else { return }
        self.isRemote = true
        var mode = settings.value("sslmode")
        if !settings.isNamed("sslmode") {
            mode = "verify-full"
            self.added.append(Addition(name: "sslmode", value: "verify-full"))
        }
        if mode == "verify-full", settings.value("sslrootcert") == nil,
            let file = rootCertificates.file(libpq: settings.version)
        {
            self.added.append(Addition(name: "sslrootcert", value: file))
        }
        if mode == "verify-full" || mode == "verify-ca" { return }
        if settings.knows("require_auth") {
            guard settings.value("require_auth") == nil else { return }
            self.added.append(Addition(name: "require_auth", value: "scram-sha-256"))
        } else if settings.knows("channel_binding") {
            guard !settings.isNamed("channel_binding") else { return }
            self.added.append(Addition(name: "channel_binding", value: "require"))
        } else {
            throw StoreError(
                .unverifiedServer,
                place: place,
                detail: """
                    libpq \(settings.version / 10_000) would tell any server the password; without sslmode=verify-full, \
                    libpq 13 is the oldest that can be used
                    """
            )
        }
    }

    /// Why a server was not trusted, from libpq's words about a connection that was not made; nil where that was not why.
    func reason(for words: String) -> String? {
        guard self.isRemote, Self.words.contains(where: { words.contains($0) }) else { return nil }
        guard !self.added.isEmpty else { return words }
        let added = self.added.map { "\($0.name)=\($0.value)" }.joined(separator: " and ")
        let hint =
            self.added.contains { $0.name == "channel_binding" }
            ? "; libpq 16 and later can require SCRAM without TLS, with an older one name channel_binding" : ""
        return """
            \(words); the server is on another machine, and the address, the environment and the service file do not say \
            otherwise, so \(added) was added\(hint)
            """
    }

    /// What libpq's messages have in common when it does not go on with a server.
    private static let words = [
        "SSL was required", "certificate verify failed", "root certificate", "server certificate",
        "server's host name", "host name must be specified", "authentication method requirement", "hannel binding",
    ]
}

/// Where the certificates are that a server's is verified with.
struct RootCertificates {
    /// The user's own file, `~/.postgresql/root.crt`, which libpq reads by itself.
    var hasOwn: Bool
    /// The system's.
    var system: String?

    /// What `sslrootcert` has to be, nil where libpq finds a file by itself, or none is known.
    func file(libpq version: Int32) -> String? {
        if self.hasOwn { return nil }
        return version >= 160_000 ? "system" : self.system
    }

    /// Those of this user and this system.
    static var current: RootCertificates {
        RootCertificates(
            hasOwn: UserPlaces.current.home.map { Self.exists($0 + "/.postgresql/root.crt") } ?? false,
            system: Self.files.first(where: Self.exists)
        )
    }

    private static func exists(_ path: String) -> Bool { (try? FileSystem.exists(path)) ?? false }

    /// Debian, Arch and Alpine; Fedora and RHEL; openSUSE; macOS and the BSDs.
    private static let files = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]
}
#endif
