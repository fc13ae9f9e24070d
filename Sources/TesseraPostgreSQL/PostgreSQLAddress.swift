// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import CPostgreSQL
internal import Tessera
internal import TesseraOAuth
internal import TesseraSupport

/// The address of a server, as parsed by libpq.
struct PostgreSQLAddress: Sendable {
    /// A parameter of libpq.
    typealias Parameter = (name: String, value: Secret)

    /// The libpq parameters, in order.
    let parameters: [Parameter]
    /// The host, port and database, without the user and password, for error messages.
    let location: String
    /// The lease duration, if the address specifies one.
    let leaseDuration: Duration?
    /// Secrets to remove from error messages.
    private let secrets: [Secret]

    /// Creates an address from a URL or a list of `name=value` pairs.
    ///
    /// The URL parameter `tessera_lease` is a number of seconds and is not passed to libpq.
    ///
    /// - Throws: ``StoreError`` with the code `unavailable`, which does not repeat any part of the address.
    init(parsing url: Secret) throws {
        let (given, lease) = try url.withUnredacted { text in
            try Self.checkSeparators(of: text)
            let (text, lease) = try Self.takingLease(from: text)
            return (try Self.options(of: text), lease)
        }
        self.leaseDuration = lease
        var parameters = given.map { (name: $0.name, value: Secret($0.value)) }
        let names = Set(given.map(\.name))
        for (name, value) in Self.defaults where !names.contains(name) { parameters.append((name, Secret(value))) }
        parameters.removeAll { $0.name == "client_encoding" }
        parameters.append(("client_encoding", Secret("UTF8")))
        self.parameters = parameters
        self.secrets = given.filter(\.isSecret).map { Secret($0.value) }
        let value = { (name: String) in given.first { $0.name == name }?.value }
        // A part of a password would be the port.
        guard value("port")?.utf8.allSatisfy({ 0x30...0x39 ~= $0 || $0 == UInt8(ascii: ",") }) ?? true else {
            throw Self.malformed("its port is not a number")
        }
        let host = value("host") ?? value("hostaddr") ?? "localhost"
        let port = value("port").map { ":" + $0 } ?? ""
        self.location = "postgresql://\(host)\(port)/\(value("dbname") ?? "")"
    }

    /// Returns the parameters for each server, in the order in which to try them.
    ///
    /// libpq tries the next host, or the next address of a host, only after an error, so that the silence of one would
    /// use up the time for all.
    ///
    /// - Parameter lookUp: Returns the addresses of a host. A host without any is left to libpq, which reports why.
    /// - Returns: The servers. If a standby is preferred, each server is first tried as a standby.
    func servers(lookingUp lookUp: (_ host: String) -> [String] = Self.systemAddresses) -> [[Parameter]] {
        let servers = self.hosts.flatMap { Self.addresses(of: $0, lookUp) }
        guard servers.count > 1, Self.text("target_session_attrs", servers[0]) == "prefer-standby" else {
            return servers
        }
        return ["standby", "any"]
            .flatMap { attribute in
                servers.map { server in
                    server.map { $0.name == "target_session_attrs" ? ($0.name, Secret(attribute)) : $0 }
                }
            }
    }

    /// The parameters for each of the address's hosts.
    private var hosts: [[Parameter]] {
        let lists = ["host", "hostaddr", "port"]
            .map { ($0, Self.text($0, self.parameters).split(separator: ",", omittingEmptySubsequences: false)) }
            .filter { $0.1 != [""] }
        let count = lists.map(\.1.count).max() ?? 1
        // libpq reports lists of different lengths. A single port applies to all hosts.
        guard count > 1, lists.allSatisfy({ $0.1.count == count || $0.0 == "port" && $0.1.count == 1 }) else {
            return [self.parameters]
        }
        return (0..<count)
            .map { index in
                self.parameters.map { name, value in
                    guard let list = lists.first(where: { $0.0 == name })?.1 else { return (name, value) }
                    return (name, Secret(String(list.count == 1 ? list[0] : list[index])))
                }
            }
    }

    /// Returns the parameters for each address of a host.
    private static func addresses(of server: [Parameter], _ lookUp: (String) -> [String]) -> [[Parameter]] {
        let host = Self.text("host", server)
        // A path, or a name in the abstract namespace, is a Unix socket. A list was not split because it is not valid.
        guard !host.isEmpty, !host.hasPrefix("/"), !host.hasPrefix("@"), !host.contains(","),
            Self.text("hostaddr", server).isEmpty
        else { return [server] }
        let addresses = lookUp(host)
        let others = server.filter { $0.name != "hostaddr" }
        return addresses.isEmpty ? [server] : addresses.map { others + [("hostaddr", Secret($0))] }
    }

    /// Returns the value of a parameter, which is not secret, or an empty text.
    private static func text(_ name: String, _ parameters: [Parameter]) -> String {
        parameters.first { $0.name == name }?.value.withUnredacted { $0 } ?? ""
    }

    /// Returns the different addresses of a host, which the system may take a while to look up.
    private static func systemAddresses(of host: String) -> [String] {
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, nil, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let failure = getnameinfo(
                entry.ai_addr,
                entry.ai_addrlen,
                &text,
                socklen_t(text.count),
                nil,
                0,
                NI_NUMERICHOST
            )
            let address = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            if failure == 0, !addresses.contains(address) { addresses.append(address) }
        }
        return addresses
    }

    /// Default parameters, which detect an unreachable server within 30 seconds.
    private static let defaults = [
        ("fallback_application_name", "tessera"), ("keepalives_idle", "10"), ("keepalives_interval", "5"),
        ("keepalives_count", "3"), ("tcp_user_timeout", "20000"),
    ]

    private struct Option {
        var name: String
        var value: String
        var isSecret: Bool
    }

    /// Rejects a URL whose user name or password contains an unencoded `@` or `/`.
    ///
    /// libpq would read a part of the password as the host, the port or the database, which appear in error messages.
    private static func checkSeparators(of text: String) throws {
        guard let scheme = text.firstRange(of: "://") else { return }
        let rest = text[scheme.upperBound...].utf8.prefix { $0 != UInt8(ascii: "?") }
        let parts = rest.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count > 2 || parts.count == 2 && parts[0].contains(UInt8(ascii: "/")) else { return }
        throw Self.malformed("its user name or password contains @ or /, which must be written as %40 and %2F")
    }

    private static func malformed(_ words: String) -> StoreError {
        StoreError(
            .unavailable,
            location: "postgresql:",
            detail: "the address cannot be parsed: \(words). Its form is postgresql://user@host:port/database"
        )
    }

    /// Returns a URL without `tessera_lease`, together with the duration that it specifies.
    private static func takingLease(from text: String) throws -> (String, Duration?) {
        // A password can contain a question mark, so the query is searched for after the user info.
        guard let scheme = text.firstRange(of: "://") else { return (text, nil) }
        let rest = text[scheme.upperBound...]
        let host = rest.prefix { $0 != "/" }.lastIndex(of: "@") ?? rest.startIndex
        guard let mark = text[host...].firstIndex(of: "?") else { return (text, nil) }
        let parameters = text[text.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false)
        let name = "tessera_lease="
        let values = parameters.filter { $0.hasPrefix(name) }.map { $0.dropFirst(name.count) }
        guard let value = values.first else { return (text, nil) }
        guard values.count == 1, let seconds = Int64(value), 5...3600 ~= seconds else {
            throw StoreError(
                .unavailable,
                location: "postgresql:",
                detail: "tessera_lease must be a number of seconds from 5 to 3600 and occur only once"
            )
        }
        let others = parameters.filter { !$0.hasPrefix(name) }.joined(separator: "&")
        return (text[..<mark] + (others.isEmpty ? "" : "?" + others), .seconds(seconds))
    }

    private static func options(of text: String) throws -> [Option] {
        var words: UnsafeMutablePointer<CChar>?
        // The parser's message is dropped, because it repeats its input.
        guard !text.utf8.contains(0), let list = PQconninfoParse(text, &words) else {
            PQfreemem(words)
            throw StoreError(
                .unavailable,
                location: "postgresql:",
                detail: "the address cannot be parsed. Its form is postgresql://user@host:port/database"
            )
        }
        defer { PQconninfoFree(list) }
        var options: [Option] = []
        var next = list
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.val {
                let display = next.pointee.dispchar.map { String(cString: $0) } ?? ""
                let name = String(cString: keyword)
                options.append(Option(name: name, value: String(cString: value), isSecret: display.hasPrefix("*")))
            }
            next += 1
        }
        return options
    }

    /// Returns a text with the address's secrets removed.
    func redacted(_ text: String) -> String {
        self.secrets.reduce(text) { text, secret in secret.removed(from: text) }
    }
}
#endif
