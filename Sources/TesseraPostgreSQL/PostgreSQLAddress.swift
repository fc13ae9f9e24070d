// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import CPostgreSQL
internal import Tessera
internal import TesseraOAuth

/// The address of a server, as parsed by libpq.
struct PostgreSQLAddress: Sendable {
    /// The libpq parameters, in order.
    let parameters: [(name: String, value: Secret)]
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
        let host = value("host") ?? value("hostaddr") ?? "localhost"
        let port = value("port").map { ":" + $0 } ?? ""
        self.location = "postgresql://\(host)\(port)/\(value("dbname") ?? "")"
    }

    /// The parameters for each of the address's hosts, in the order in which to try them.
    ///
    /// libpq tries the next host only after an error, so that the silence of one would use up the time for all.
    var servers: [[(name: String, value: Secret)]] {
        func parts(_ name: String) -> [String] {
            self.parameters.first { $0.name == name }?.value
                .withUnredacted { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
        }
        let lists = ["host", "hostaddr", "port"].map { ($0, parts($0)) }.filter { !$0.1.isEmpty }
        let count = lists.map(\.1.count).max() ?? 1
        // libpq reports lists of different lengths. A single port applies to all hosts.
        guard count > 1, lists.allSatisfy({ $0.1.count == count || $0.0 == "port" && $0.1.count == 1 }) else {
            return [self.parameters]
        }
        // A standby is preferred to any server of the list, not to itself.
        let prefersStandby = parts("target_session_attrs") == ["prefer-standby"]
        let attributes: [String?] = prefersStandby ? ["standby", "any"] : [nil]
        return attributes.flatMap { attribute in
            (0..<count)
                .map { index in
                    self.parameters.map { name, value in
                        if name == "target_session_attrs", let attribute { return (name, Secret(attribute)) }
                        guard let list = lists.first(where: { $0.0 == name })?.1 else { return (name, value) }
                        return (name, Secret(list.count == 1 ? list[0] : list[index]))
                    }
                }
        }
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
