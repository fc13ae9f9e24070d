// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import CPostgreSQL
internal import Tessera
internal import TesseraSupport

/// A connection to the server that opens on demand and closes at the first sign of failure.
///
/// Every method blocks for at most `timeout` plus one second, except for the time that the system needs to resolve a
/// host's name.
struct PostgreSQLLink: ~Copyable {
    let address: PostgreSQLAddress
    let timeout: Duration
    /// The simulated server, or nil to connect to the server at ``address``.
    let server: (any SQLServer)?
    private var connection: OpaquePointer?
    private var isConnectedToSimulation = false
    private var prepared: Set<String> = []

    init(address: PostgreSQLAddress, timeout: Duration, server: (any SQLServer)?) {
        self.address = address
        self.timeout = timeout
        self.server = server
    }

    deinit { if let connection { PQfinish(connection) } }

    var isOpen: Bool { self.connection != nil || self.isConnectedToSimulation }

    mutating func close() {
        if let connection { PQfinish(connection) }
        self.connection = nil
        self.isConnectedToSimulation = false
        self.prepared = []
    }

    /// Opens the connection if it is not open.
    ///
    /// - Returns: Whether a new connection was opened.
    /// - Throws: ``StoreError`` with the code `unreachable`, `permissionDenied`, `unverifiedServer` or `unavailable`.
    mutating func open() throws -> Bool {
        if self.isOpen { return false }
        if self.server != nil {
            self.isConnectedToSimulation = true
            return true
        }
        let protection = try self.address.protection()
        // Addresses in the environment or in a service file, for which the protection was determined, take precedence.
        let servers = protection.hasAddresses ? self.address.servers { _ in [] } : self.address.servers()
        let deadline = ContinuousClock.now + self.timeout
        var failure: StoreError?
        for (index, server) in servers.enumerated() {
            // Each server has a share of the time that is left.
            let share = (deadline - .now) / (servers.count - index)
            do {
                try self.connect(server + protection.parameters, protection, until: .now + share)
                return true
            } catch {
                // As in libpq, a server that rejects the user is the last one.
                guard error.code == .unreachable else { throw error }
                failure = failure ?? error
            }
        }
        throw failure ?? self.unreachable("there is no host")
    }

    private mutating func connect(
        _ parameters: [PostgreSQLAddress.Parameter],
        _ protection: ConnectionProtection,
        until deadline: ContinuousClock.Instant
    ) throws(StoreError) {
        guard let connection = Self.start(parameters) else { throw self.unreachable("out of memory") }
        self.connection = connection
        // Without a receiver, notices are printed to standard error.
        PQsetNoticeReceiver(connection, { _, _ in }, nil)
        // Verbose messages include the SQLSTATE of a rejected connection.
        _ = PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
        var status = PGRES_POLLING_WRITING
        while status != PGRES_POLLING_OK {
            let events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT
            if PQstatus(connection) == CONNECTION_BAD || status == PGRES_POLLING_FAILED {
                throw self.refusal(String(cString: PQerrorMessage(connection)), protection)
            }
            guard Self.wait(connection, for: Int16(events), until: deadline) else {
                throw self.unreachable("no response within \(self.timeout)")
            }
            status = PQconnectPoll(connection)
        }
        _ = PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
        _ = PQsetnonblocking(connection, 1)
    }

    /// Runs a statement and returns its rows, preparing the statement the first time it is used on this connection.
    ///
    /// - Throws: ``StoreError``, which has the code `unreachable` if it is unknown whether the statement was executed.
    mutating func run(_ statement: SQLStatement, _ values: [SQLValue] = []) throws -> [[SQLValue]] {
        if let server, self.isOpen {
            do {
                return try server.run(statement, values)
            } catch {
                throw self.unreachable("the simulated server did not respond")
            }
        }
        guard let connection else { throw self.unreachable("not connected") }
        if let name = statement.name, !self.prepared.contains(name) {
            guard PQsendPrepare(connection, name, statement.sql, 0, nil) == 1 else { throw self.broken() }
            _ = try self.rows(connection)
            self.prepared.insert(name)
        }
        guard Self.send(connection, statement, values) == 1 else { throw self.broken() }
        return try self.rows(connection)
    }

    /// Runs statements in a transaction, which is rolled back if `body` throws an error.
    mutating func transaction(_ body: (inout PostgreSQLLink) throws -> Void) throws {
        _ = try self.run(Statements.begin)
        do {
            try body(&self)
            _ = try self.run(Statements.commit)
        } catch {
            _ = try? self.run(Statements.rollback)
            throw error
        }
    }

    // MARK: libpq

    static func start(_ parameters: [PostgreSQLAddress.Parameter]) -> OpaquePointer? {
        let names = parameters.map { strdup($0.name) }
        let values = parameters.map { $0.value.withUnredacted { strdup($0) } }
        defer { for text in names + values { free(text) } }
        let keywords = names.map { UnsafePointer($0) } + [nil]
        let contents = values.map { UnsafePointer($0) } + [nil]
        return PQconnectStartParams(keywords, contents, 0)
    }

    private static func send(_ connection: OpaquePointer, _ statement: SQLStatement, _ values: [SQLValue]) -> Int32 {
        // The values are concatenated, with an extra byte so that an empty value also has an address.
        let bytes = (values.flatMap { $0.bytes ?? [] } + [0]).map { CChar(bitPattern: $0) }
        return bytes.withUnsafeBufferPointer { buffer in
            var offset = 0
            var pointers: [UnsafePointer<CChar>?] = []
            for value in values {
                pointers.append(value.bytes == nil ? nil : buffer.baseAddress.map { $0 + offset })
                offset += value.bytes?.count ?? 0
            }
            let lengths = values.map { Int32(clamping: $0.bytes?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: values.count)
            let count = Int32(clamping: values.count)
            if let name = statement.name {
                return PQsendQueryPrepared(connection, name, count, pointers, lengths, formats, 1)
            }
            return PQsendQueryParams(connection, statement.sql, count, nil, pointers, lengths, formats, 1)
        }
    }

    /// Waits for the response to a statement and returns its rows.
    private mutating func rows(_ connection: OpaquePointer) throws -> [[SQLValue]] {
        let deadline = ContinuousClock.now + self.timeout + .seconds(1)
        var rows: [[SQLValue]] = []
        var failure: StoreError?
        while true {
            guard try self.receive(connection, until: deadline) else { throw self.broken("no response in time") }
            guard let result = PQgetResult(connection) else { break }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: rows += Self.rows(of: result)
            default: failure = failure ?? self.refusal(result)
            }
        }
        if let failure {
            if failure.code == .unreachable { self.close() }
            throw failure
        }
        if PQstatus(connection) != CONNECTION_OK { throw self.broken() }
        return rows
    }

    /// Sends the remaining data and reads until a result is available.
    ///
    /// - Returns: False if the deadline has passed.
    private mutating func receive(
        _ connection: OpaquePointer,
        until deadline: ContinuousClock.Instant
    ) throws -> Bool {
        while true {
            let unsent = PQflush(connection)
            if unsent < 0 { break }
            if unsent == 0, PQisBusy(connection) == 0 { return true }
            let events = unsent == 1 ? POLLIN | POLLOUT : POLLIN
            guard Self.wait(connection, for: Int16(events), until: deadline) else { return false }
            if PQconsumeInput(connection) == 0 { break }
        }
        throw self.broken()
    }

    private static func wait(
        _ connection: OpaquePointer,
        for events: Int16,
        until deadline: ContinuousClock.Instant
    ) -> Bool {
        var descriptor = pollfd(fd: PQsocket(connection), events: events, revents: 0)
        while true {
            let rest = (deadline - .now) / .milliseconds(1)
            if rest <= 0 { return false }
            let count = poll(&descriptor, 1, Int32(min(rest, 60_000).rounded(.up)))
            if count > 0 { return true }
            if count < 0, errno != EINTR { return false }
        }
    }

    private static func rows(of result: OpaquePointer) -> [[SQLValue]] {
        (0..<PQntuples(result))
            .map { row in
                (0..<PQnfields(result))
                    .map { column in
                        guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else {
                            return SQLValue(nil as [UInt8]?)
                        }
                        let count = Int(PQgetlength(result, row, column))
                        return SQLValue(Array(UnsafeRawBufferPointer(start: start, count: count)))
                    }
            }
    }
}

extension PostgreSQLLink {
    /// Closes a broken connection and returns its error.
    private mutating func broken(_ words: String? = nil) -> StoreError {
        let message = self.connection.map { String(cString: PQerrorMessage($0)) } ?? ""
        return self.unreachable(words ?? message)
    }

    private mutating func unreachable(_ words: String) -> StoreError {
        self.close()
        return StoreError(.unreachable, location: self.address.location, detail: self.line(words))
    }

    /// Returns the error for a failed connection, based on libpq's verbose message, such as `FATAL:  28P01: password
    /// …`.
    private mutating func refusal(_ words: String, _ protection: ConnectionProtection) -> StoreError {
        self.close()
        let line = self.line(words)
        if let reason = protection.reason(for: line) {
            return StoreError(.unverifiedServer, location: self.address.location, detail: reason)
        }
        let parts = line.split(separator: ": ", omittingEmptySubsequences: true)
        let state = parts.map { $0.drop { $0 == " " } }
            .first {
                $0.utf8.count == 5 && $0.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
                    && $0 != "FATAL" && $0 != "ERROR"
            }
        return StoreError(
            state: state.map(String.init),
            isConnecting: true,
            location: self.address.location,
            detail: line
        )
    }

    /// Returns the error for a rejected statement.
    ///
    /// The detail field is left out, because it can repeat values.
    private func refusal(_ result: OpaquePointer) -> StoreError {
        func field(_ code: UnicodeScalar) -> String? {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        // The codes of PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY are C and M.
        let words = field("M") ?? String(cString: PQresultErrorMessage(result))
        return StoreError(
            state: field("C"),
            isConnecting: false,
            location: self.address.location,
            detail: self.line(words)
        )
    }

    /// Returns the first line of a message, with secrets removed.
    private func line(_ words: String) -> String {
        let isEnd: (UInt8) -> Bool = { $0 == 0x0A || $0 == 0x0D }
        let line = words.utf8.drop(while: isEnd).prefix { !isEnd($0) }
        return self.address.redacted(line.isEmpty ? "the connection was lost" : String(Substring(line)))
    }
}

extension StoreError {
    /// Creates the error for a SQLSTATE.
    ///
    /// - Parameters:
    ///   - state: The SQLSTATE, or nil if the server did not send one.
    ///   - isConnecting: Whether the connection was still being opened. In that case, a missing SQLSTATE means that the
    ///     server was not reached.
    ///   - location: The server's location.
    ///   - detail: The server's message.
    /// - SeeAlso: [PostgreSQL: Error Codes](https://www.postgresql.org/docs/current/errcodes-appendix.html)
    init(state: String?, isConnecting: Bool, location: String, detail: String) {
        let code: Code =
            switch state {
            case nil: isConnecting ? .unreachable : .system
            // The server is shutting down, crashed, starting, out of connections or now a standby.
            case "57P01", "57P02", "57P03", "57P05", "53300", "25006": .unreachable
            // Prepared statements are outdated, missing or those of another client of a connection pooler. A new
            // connection prepares them again.
            case "0A000", "26000", "42P05": .unreachable
            // A serialization failure or deadlock. The transaction can be retried.
            case "40001", "40P01": .unreachable
            case "57014", "55P03": .busy
            case "53100": .full
            case "42501": .permissionDenied
            case "42P01", "3F000", "3D000": .unavailable
            case let state? where state.hasPrefix("08"): .unreachable
            case let state? where state.hasPrefix("28"): .permissionDenied
            default: .system
            }
        self.init(code, location: location, detail: state.map { "\(detail) (SQLSTATE \($0))" } ?? detail)
    }

    /// Returns the error for a record that changed while this process was holding the lease.
    static func changedRecord(location: String) -> StoreError {
        StoreError(.leaseLost, location: location, detail: "the record changed since it was loaded")
    }
}
#endif
