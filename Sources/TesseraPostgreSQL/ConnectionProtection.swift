// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import CPostgreSQL
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// The parameters to add to an address so that a password is sent only to the right server.
///
/// By default, libpq sends the password to any server that requests it, with or without TLS. Therefore, a server on
/// another machine must prove its identity with a certificate. If the user chose a mode that does not require this
/// proof, the server must use SCRAM, which does not reveal the password to it.
struct ConnectionProtection: Equatable {
    /// The libpq parameters to add.
    private(set) var added: [Addition] = []
    /// Whether a server on another machine needs to be verified.
    private(set) var isRemote = false
    /// Whether libpq connects to given addresses (`hostaddr`) without looking up the hosts.
    private(set) var hasAddresses = false

    struct Addition: Equatable {
        let name: String
        let value: String
    }

    var parameters: [PostgreSQLAddress.Parameter] { self.added.map { ($0.name, Secret($0.value)) } }

    /// Determines the parameters to add.
    ///
    /// - Parameters:
    ///   - settings: The settings that libpq derives from the address, the service file and the environment.
    ///   - rootCertificates: The certificates that this system trusts.
    ///   - location: The server's location, for error messages.
    /// - Throws: ``StoreError`` with the code `unverifiedServer` if libpq supports neither requiring SCRAM nor binding
    ///   to the server's certificate.
    init(
        _ settings: ConnectionSettings,
        rootCertificates: RootCertificates,
        location: String
    ) throws {
        self.hasAddresses = settings.value("hostaddr")?.isEmpty == false
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
                location: location,
                detail: """
                    libpq \(settings.version / 10_000) would send any server the password; without sslmode=verify-full, \
                    libpq 13 or later is required
                    """
            )
        }
    }

    /// Returns why a server was not trusted, based on libpq's message for a failed connection, or nil for other
    /// failures.
    func reason(for words: String) -> String? {
        guard self.isRemote, Self.words.contains(where: { words.contains($0) }) else { return nil }
        guard !self.added.isEmpty else { return words }
        let added = self.added.map { "\($0.name)=\($0.value)" }.joined(separator: " and ")
        let hint =
            self.added.contains { $0.name == "channel_binding" }
            ? "; to use SCRAM without TLS, update to libpq 16 or set channel_binding" : ""
        return """
            \(words); because the server is on another machine, and the address, environment and service file do not \
            specify otherwise, \(added) was added\(hint)
            """
    }

    /// Phrases in libpq's messages for servers that it rejects.
    private static let words = [
        "SSL was required", "certificate verify failed", "root certificate", "server certificate",
        "server's host name", "host name must be specified", "authentication method requirement", "hannel binding",
    ]
}

/// The certificates used to verify a server.
struct RootCertificates {
    /// Whether the user has a `~/.postgresql/root.crt`, which libpq reads by default.
    var hasOwn: Bool
    /// The path of the system's certificate file, or nil if it is unknown.
    var system: String?

    /// Returns the value for `sslrootcert`, or nil if libpq finds a file by default or no file is known.
    func file(libpq version: Int32) -> String? {
        if self.hasOwn { return nil }
        return version >= 160_000 ? "system" : self.system
    }

    /// The certificates available to this user on this system.
    static var current: RootCertificates {
        RootCertificates(
            hasOwn: UserFolders.current.home.map { Self.exists($0 + "/.postgresql/root.crt") } ?? false,
            system: Self.files.first(where: Self.exists)
        )
    }

    private static func exists(_ path: String) -> Bool { (try? FileSystem.exists(path)) ?? false }

    /// The paths on Debian, Arch and Alpine, on Fedora and RHEL, on openSUSE, and on macOS and the BSDs.
    private static let files = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]
}

/// The settings that libpq derives from an address, the service file and the environment.
struct ConnectionSettings {
    struct Setting {
        var value: String?
        /// The default value.
        var initial: String?
        /// Whether the address or the environment specifies the setting.
        var isGiven = false
    }

    /// The `PQlibVersion`, such as 150018 for 15.18.
    let version: Int32
    private let settings: [String: Setting]

    init(version: Int32, _ settings: [String: Setting]) {
        self.version = version
        self.settings = settings
    }

    /// Creates the settings with libpq, which reads the service file but does not connect.
    ///
    /// Returns nil if memory is exhausted.
    init?(of parameters: [PostgreSQLAddress.Parameter]) {
        let given = Set(parameters.map(\.name))
        // libpq rejects this value before it looks up a server, but after it has read everything else.
        let connection = PostgreSQLLink.start(parameters + [("target_session_attrs", Secret("tessera"))])
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

    /// Whether the address, the environment or the service file specifies a setting.
    ///
    /// A setting in a service file is recognized only if it differs from libpq's default.
    func isNamed(_ name: String) -> Bool {
        guard let setting = self.settings[name] else { return false }
        return setting.isGiven || setting.value != setting.initial
    }

    /// Whether at least one of the servers may be on another machine.
    ///
    /// libpq connects to the addresses if there are any, and otherwise to the hosts. An entry that has neither is a
    /// Unix socket.
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
    /// Returns the parameters to add, based on the current service file and environment.
    ///
    /// - Throws: ``StoreError`` with the code `unverifiedServer`.
    func protection() throws -> ConnectionProtection {
        guard let settings = ConnectionSettings(of: self.parameters) else {
            throw StoreError(.unreachable, location: self.location, detail: "out of memory")
        }
        return try ConnectionProtection(settings, rootCertificates: .current, location: self.location)
    }
}
#endif
