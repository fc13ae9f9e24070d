// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import CPostgreSQL
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

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
    func protection() throws(StoreError) -> ConnectionProtection {
        guard let settings = ConnectionSettings(of: self.parameters) else {
            throw StoreError(.unreachable, place: self.place, detail: "out of memory")
        }
        return try ConnectionProtection(settings, rootCertificates: .current, place: self.place)
    }
}
#endif
