// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera
internal import TesseraOAuth
@testable internal import TesseraPostgreSQL
internal import TesseraStores
internal import Testing

@Suite("Protection of PostgreSQL passwords")
struct ConnectionProtectionInternalTests {
    private static let bundle = "/etc/ssl/bundle.crt"

    /// Returns the parameters added to settings that libpq of the given version would report.
    private static func added(
        _ values: [String: String],
        libpq version: Int32 = 160_002,
        hasOwnRoot: Bool = false,
        bundle: String? = Self.bundle
    ) throws -> [String] {
        try Self.protection(values, libpq: version, hasOwnRoot: hasOwnRoot, bundle: bundle)
            .added.map { "\($0.name)=\($0.value)" }
    }

    private static func protection(
        _ values: [String: String],
        libpq version: Int32 = 160_002,
        hasOwnRoot: Bool = false,
        bundle: String? = Self.bundle
    ) throws -> ConnectionProtection {
        var settings: [String: ConnectionSettings.Setting] = [
            "host": .init(), "hostaddr": .init(), "sslrootcert": .init(),
            "sslmode": .init(value: "prefer", initial: "prefer"),
        ]
        if version >= 130_000 { settings["channel_binding"] = .init(value: "prefer", initial: "prefer") }
        if version >= 160_000 { settings["require_auth"] = .init() }
        for (name, value) in values {
            settings[name] = .init(value: value, initial: settings[name]?.initial, isGiven: true)
        }
        return try ConnectionProtection(
            ConnectionSettings(version: version, settings),
            rootCertificates: RootCertificates(hasOwn: hasOwnRoot, system: bundle),
            location: "test"
        )
    }

    @Test(
        "Hosts are not looked up if the settings contain addresses, for which the protection is determined",
        arguments: [
            ([:], false), (["host": "db.example"], false), (["host": "db.example", "hostaddr": ""], false),
            (["host": "db.example", "hostaddr": "127.0.0.1"], true), (["hostaddr": "10.0.0.1,"], true),
        ] as [([String: String], Bool)]
    )
    func addresses(values: [String: String], hasAddresses: Bool) throws {
        #expect(try Self.protection(values).hasAddresses == hasAddresses)
    }

    @Test(
        "Adds nothing for a server on this machine",
        arguments: [
            [:], ["host": ""], ["host": "localhost"], ["host": "LocalHost"], ["host": "127.0.0.1"],
            ["host": "127.1.2.3"],
            ["host": "::1"], ["host": "/run/postgresql"], ["host": "@abstract"], ["host": "/tmp,localhost"],
            ["hostaddr": "127.0.0.1", "host": "db.example"], ["hostaddr": "", "host": "localhost"],
        ]
    )
    func local(values: [String: String]) throws {
        #expect(try Self.added(values).isEmpty)
    }

    @Test(
        "Requires remote servers to prove their names with the available root certificates",
        arguments: [
            ["host": "db.example"], ["host": "10.0.0.1"], ["host": "127.0.0.1.example"], ["host": "0.0.0.0"],
            ["host": "127.1"], ["host": "localhost.example"], ["hostaddr": "10.0.0.1"], ["host": "fe80::1"],
            ["hostaddr": "10.0.0.1", "host": "localhost"], ["host": "localhost,db.example"],
            ["hostaddr": "127.0.0.1,10.0.0.1", "host": "localhost,localhost"],
        ]
    )
    func remote(values: [String: String]) throws {
        #expect(try Self.added(values) == ["sslmode=verify-full", "sslrootcert=system"])
        #expect(try Self.added(values, libpq: 150_018) == ["sslmode=verify-full", "sslrootcert=\(Self.bundle)"])
        #expect(try Self.added(values, libpq: 150_018, bundle: nil) == ["sslmode=verify-full"])
        #expect(try Self.added(values, hasOwnRoot: true) == ["sslmode=verify-full"])
        #expect(try Self.added(values.merging(["sslrootcert": "own.crt"]) { $1 }) == ["sslmode=verify-full"])
    }

    @Test("Keeps an explicit sslmode and requires SCRAM if it does not verify the server")
    func named() throws {
        let host = ["host": "db.example"]
        func added(_ more: [String: String], libpq version: Int32 = 160_002) throws -> [String] {
            try Self.added(host.merging(more) { $1 }, libpq: version)
        }
        #expect(try added(["sslmode": "verify-full"]) == ["sslrootcert=system"])
        #expect(try added(["sslmode": "verify-ca"]).isEmpty)
        for mode in ["disable", "allow", "prefer", "require"] {
            #expect(try added(["sslmode": mode]) == ["require_auth=scram-sha-256"])
            #expect(try added(["sslmode": mode, "require_auth": "password"]).isEmpty)
            #expect(try added(["sslmode": mode], libpq: 150_018) == ["channel_binding=require"])
            #expect(try added(["sslmode": mode, "channel_binding": "prefer"], libpq: 150_018).isEmpty)
            let error = #expect(throws: StoreError.self) { try added(["sslmode": mode], libpq: 120_022) }
            #expect(error?.code == .unverifiedServer)
        }
        #expect(try added([:], libpq: 120_022) == ["sslmode=verify-full", "sslrootcert=\(Self.bundle)"])
    }

    @Test("Reads the settings of the linked libpq without a connection")
    func settings() throws {
        let address = try PostgreSQLAddress(
            parsing: Secret("postgresql://ada:canary@db.example:5433,10.0.0.1/x?target_session_attrs=read-write")
        )
        let settings = try #require(ConnectionSettings(of: address.parameters))
        #expect(settings.version >= 130_000)
        #expect(settings.value("host") == "db.example,10.0.0.1")
        #expect(settings.hasRemoteServer)
        #expect(settings.isNamed("host"))
        #expect(!settings.isNamed("sslmode"))
        #expect(settings.value("sslmode") == "prefer")
        let named = try PostgreSQLAddress(parsing: Secret("postgresql://db.example/x?sslmode=prefer"))
        #expect(try #require(ConnectionSettings(of: named.parameters)).isNamed("sslmode"))
    }

    @Test(
        "Recognizes errors about an untrusted server",
        arguments: [
            ("server does not support SSL, but SSL was required", true),
            ("SSL error: certificate verify failed", true),
            ("root certificate file \"/root/.postgresql/root.crt\" does not exist", true),
            ("server certificate for \"a\" does not match host name \"b\"", true),
            ("authentication method requirement \"scram-sha-256\" failed: server requested a cleartext password", true),
            ("channel binding required but not supported by server's authentication request", true),
            ("Connection refused", false), ("server closed the connection unexpectedly", false),
            ("could not read certificate file \"/home/ada/.postgresql/postgresql.crt\"", false),
        ]
    )
    func reasons(words: String, isTrustError: Bool) throws {
        let settings = ConnectionSettings(version: 160_002, ["host": .init(value: "db.example", isGiven: true)])
        let roots = RootCertificates(hasOwn: false, system: nil)
        let protection = try ConnectionProtection(settings, rootCertificates: roots, location: "test")
        let reason = protection.reason(for: words)
        #expect((reason != nil) == isTrustError)
        if let reason {
            #expect(reason.hasPrefix(words))
            #expect(reason.contains("sslmode=verify-full and sslrootcert=system"))
        }
        let local = try ConnectionProtection(
            ConnectionSettings(version: 160_002, [:]),
            rootCertificates: roots,
            location: "x"
        )
        #expect(local.reason(for: words) == nil)
    }

    @Test("Reads the lease duration from the address and removes it before libpq parses it")
    func lease() throws {
        for (text, seconds) in [
            ("postgresql://db/x?tessera_lease=120", 120), ("postgresql://db/x?tessera_lease=5&sslmode=disable", 5),
            ("postgres://ada:a?b@db/x?application_name=mine&tessera_lease=3600", 3600),
            ("postgresql://?host=/run/postgresql&tessera_lease=60&port=1", 60),
        ] {
            let address = try PostgreSQLAddress(parsing: Secret(text))
            #expect(address.leaseDuration == .seconds(seconds), "\(text)")
            #expect(!address.parameters.contains { $0.name.hasPrefix("tessera") })
        }
        let address = try PostgreSQLAddress(
            parsing: Secret("postgres://ada:a?b@db/x?application_name=mine&tessera_lease=60")
        )
        let values = Dictionary(
            uniqueKeysWithValues: address.parameters.map { ($0.name, $0.value.withUnredacted { $0 }) }
        )
        #expect(values["application_name"] == "mine")
        #expect(values["password"] == "a?b")
        #expect(try PostgreSQLAddress(parsing: Secret("postgresql://db/x")).leaseDuration == nil)
        for value in ["", "0", "4", "3601", "-5", "1.5", "60s", "99999999999999999999", "60&tessera_lease=60"] {
            let text = "postgresql://ada:canary@db/x?tessera_lease=\(value)"
            let error = #expect(throws: StoreError.self) { try PostgreSQLAddress(parsing: Secret(text)) }
            #expect(error?.detail?.contains("tessera_lease") == true)
            #expect(error?.detail?.contains("canary") == false)
        }
    }

    @Test(
        "A lease duration in the address overrides the one in the program",
        arguments: [("", 45), ("?tessera_lease=120", 120)]
    )
    func leaseOfStore(query: String, seconds: Int) throws {
        let store = try PostgreSQLStore(
            Secret("postgresql://db/x\(query)"),
            keys: StoreKeys(.random()),
            leaseDuration: .seconds(45)
        )
        #expect(store.tables.leaseDuration == .seconds(seconds))
    }
}
#endif
