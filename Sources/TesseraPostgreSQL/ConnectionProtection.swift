// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import CPostgreSQL
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
    ) throws {
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

/// What libpq makes of an address together with the service file and the environment.
struct ConnectionSettings {
    struct Setting {
        var value: String?
        /// What it is where nothing names it.
        var initial: String?
        /// Whether the address or the environment names it.
        var isGiven = false
    }

    /// `PQlibVersion`: 150018 for 15.18.
    let version: Int32
    private let settings: [String: Setting]

    init(version: Int32, _ settings: [String: Setting]) {
        self.version = version
        self.settings = settings
    }

    /// Asks libpq, which reads the service file, and connects to nothing; nil where there is no memory left.
    init?(of parameters: [(name: String, value: Secret)]) {
        let given = Set(parameters.map(\.name))
        // It ends before it looks for a server, because of this value, and has read everything else by then.
        let connection = Link.start(parameters + [("target_session_attrs", Secret("tessera"))])
        defer { PQfinish(connection) }
        guard let list = PQconninfo(connection) else { return nil }
        defer { PQconninfoFree(list) }
        var settings: [String: Setting] = [:]
        var next = list
        while let keyword = next.pointee.keyword {
            let option = next.pointee
            let name = String(cString: keyword)
            settings[name] = Setting(
                value: option.val.map { String(cString: $0) },
                initial: option.compiled.map { String(cString: $0) },
                isGiven: given.contains(name) || option.envvar.map { getenv($0) != nil } == true
            )
            next += 1
        }
        self.init(version: PQlibVersion(), settings)
    }

    func knows(_ name: String) -> Bool { self.settings[name] != nil }
    func value(_ name: String) -> String? { self.settings[name]?.value }

    /// Whether anything names it: in a service file, only what is not libpq's own default can be told from it.
    func isNamed(_ name: String) -> Bool {
        guard let setting = self.settings[name] else { return false }
        return setting.isGiven || setting.value != setting.initial
    }

    /// Whether one of the servers may be on another machine.
    ///
    /// libpq connects to the addresses, where there are any, and else to the hosts; one without both is a Unix socket.
    var hasRemoteServer: Bool {
        func list(_ name: String) -> [Substring] {
            self.value(name)?.split(separator: ",", omittingEmptySubsequences: false) ?? []
        }
        let (hosts, addresses) = (list("host"), list("hostaddr"))
        return (0..<max(hosts.count, addresses.count))
            .contains { index in
                let address = addresses.indices.contains(index) ? addresses[index] : ""
                if !address.isEmpty { return !Self.isLoopback(address) }
                let host = hosts.indices.contains(index) ? hosts[index] : ""
                return !(host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || Self.isLoopback(host))
            }
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        let name = host.lowercased()
        return name == "::1" || RequestTarget.isLoopback(name)
    }
}

extension PostgreSQLAddress {
    /// What is to be added to the parameters, as the service file and the environment are now.
    ///
    /// - Throws: ``StoreError`` `unverifiedServer`.
    func protection() throws -> ConnectionProtection {
        guard let settings = ConnectionSettings(of: self.parameters) else {
            throw StoreError(.unreachable, place: self.place, detail: "out of memory")
        }
        return try ConnectionProtection(settings, rootCertificates: .current, place: self.place)
    }
}
#endif
