// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import CPostgreSQL
internal import Tessera
internal import TesseraSupport

/// One connection to the server, opened when it is needed and closed at the first sign that it is broken.
///
/// Every call blocks, for `timeout` at most and a second, whatever the server and the network do.
struct Link: ~Copyable {
    let address: PostgreSQLAddress
    let timeout: Duration
    private var connection: OpaquePointer?
    private var prepared: Set<String> = []

    init(address: PostgreSQLAddress, timeout: Duration) {
        self.address = address
        self.timeout = timeout
    }

    deinit { if let connection { PQfinish(connection) } }

    var isOpen: Bool { self.connection != nil }

    mutating func close() {
        if let connection { PQfinish(connection) }
        self.connection = nil
        self.prepared = []
    }

    /// Opens the connection where there is none.
    ///
    /// - Returns: whether it is a new one.
    /// - Throws: ``StoreError`` `unreachable`, `permissionDenied`, `unverifiedServer`, `unavailable`.
    mutating func open() throws -> Bool {
        if self.connection != nil { return false }
        let protection = try self.address.protection()
        let parameters = self.address.parameters + protection.parameters
        guard let connection = Self.start(parameters) else { throw self.unreachable("out of memory") }
        self.connection = connection
        // Its messages would go to our standard error.
        PQsetNoticeReceiver(connection, { _, _ in }, nil)
        // So that a refusal comes with its code.
        _ = PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
        let deadline = ContinuousClock.now + self.timeout
        var status = PGRES_POLLING_WRITING
        while status != PGRES_POLLING_OK {
            let events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT
            if PQstatus(connection) == CONNECTION_BAD || status == PGRES_POLLING_FAILED {
                throw self.refusal(String(cString: PQerrorMessage(connection)), protection)
            }
            guard Self.wait(connection, for: Int16(events), until: deadline) else {
                throw self.unreachable("no answer in \(self.timeout)")
            }
            status = PQconnectPoll(connection)
        }
        _ = PQsetErrorVerbosity(connection, PQERRORS_DEFAULT)
        _ = PQsetnonblocking(connection, 1)
        return true
    }

    /// Sends a statement with its values, prepared at its first use here, and takes its rows.
    ///
    /// - Throws: ``StoreError``; `unreachable` when nobody knows whether the statement was executed.
    mutating func run(_ statement: SQLStatement, _ values: [SQLValue] = []) throws -> [[SQLValue]] {
        guard let connection else { throw self.unreachable("not connected") }
        if let name = statement.name, !self.prepared.contains(name) {
            guard PQsendPrepare(connection, name, statement.sql, 0, nil) == 1 else { throw self.broken() }
            _ = try self.rows(connection)
            self.prepared.insert(name)
        }
        guard Self.send(connection, statement, values) == 1 else { throw self.broken() }
        return try self.rows(connection)
    }

    // MARK: What libpq needs

    static func start(_ parameters: [(name: String, value: Secret)]) -> OpaquePointer? {
        let names = parameters.map { strdup($0.name) }
        let values = parameters.map { $0.value.withUnredacted { strdup($0) } }
        defer { for text in names + values { free(text) } }
        let keywords = names.map { UnsafePointer($0) } + [nil]
        let contents = values.map { UnsafePointer($0) } + [nil]
        return PQconnectStartParams(keywords, contents, 0)
    }

    private static func send(_ connection: OpaquePointer, _ statement: SQLStatement, _ values: [SQLValue]) -> Int32 {
        // All values one after another, and a byte more: an empty value has a place, too.
        let bytes = (values.flatMap { $0.bytes ?? [] } + [0]).map { CChar(bitPattern: $0) }
        return bytes.withUnsafeBufferPointer { buffer in
            var offset = 0
            var places: [UnsafePointer<CChar>?] = []
            for value in values {
                places.append(value.bytes == nil ? nil : buffer.baseAddress.map { $0 + offset })
                offset += value.bytes?.count ?? 0
            }
            let lengths = values.map { Int32(clamping: $0.bytes?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: values.count)
            let count = Int32(clamping: values.count)
            if let name = statement.name {
                return PQsendQueryPrepared(connection, name, count, places, lengths, formats, 1)
            }
            return PQsendQueryParams(connection, statement.sql, count, nil, places, lengths, formats, 1)
        }
    }

    /// Waits for the answer to what was sent.
    private mutating func rows(_ connection: OpaquePointer) throws -> [[SQLValue]] {
        let deadline = ContinuousClock.now + self.timeout + .seconds(1)
        var rows: [[SQLValue]] = []
        var failure: StoreError?
        while true {
            guard try self.receive(connection, until: deadline) else { throw self.broken("no answer in time") }
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

    /// Sends what is left to send, and reads until a result is there.
    ///
    /// False when the time is over.
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

extension Link {
    /// The error of a connection that cannot be used any more; it is closed.
    private mutating func broken(_ words: String? = nil) -> StoreError {
        let said = self.connection.map { String(cString: PQerrorMessage($0)) } ?? ""
        return self.unreachable(words ?? said)
    }

    private mutating func unreachable(_ words: String) -> StoreError {
        self.close()
        return StoreError(.unreachable, place: self.address.place, detail: self.line(words))
    }

    /// The error of a connection that was not had, from libpq's verbose words: `FATAL:  28P01: password …`.
    private mutating func refusal(_ words: String, _ protection: ConnectionProtection) -> StoreError {
        self.close()
        let line = self.line(words)
        if let reason = protection.reason(for: line) {
            return StoreError(.unverifiedServer, place: self.address.place, detail: reason)
        }
        let parts = line.split(separator: ": ", omittingEmptySubsequences: true)
        let state = parts.map { $0.drop { $0 == " " } }
            .first {
                $0.utf8.count == 5 && $0.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
                    && $0 != "FATAL" && $0 != "ERROR"
            }
        return StoreError(state: state.map(String.init), isConnecting: true, place: self.address.place, detail: line)
    }

    /// The server's no to a statement.
    ///
    /// Its detail, which may repeat values, is left out.
    private func refusal(_ result: OpaquePointer) -> StoreError {
        func field(_ code: UnicodeScalar) -> String? {
            PQresultErrorField(result, Int32(code.value)).map { String(cString: $0) }
        }
        // PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY.
        let words = field("M") ?? String(cString: PQresultErrorMessage(result))
        return StoreError(state: field("C"), isConnecting: false, place: self.address.place, detail: self.line(words))
    }

    /// The first line, without a secret.
    private func line(_ words: String) -> String {
        let first = words.split(whereSeparator: \.isNewline).first.map(String.init) ?? "the connection was lost"
        return self.address.redacted(first)
    }
}

extension StoreError {
    /// The error that a SQLSTATE stands for.
    ///
    /// - Parameters:
    ///   - state: the code, nil when the server said none.
    ///   - isConnecting: whether there was no connection yet; without a code nobody was reached then.
    ///   - place: the server.
    ///   - detail: the server's words.
    /// - SeeAlso: [PostgreSQL: Error Codes](https://www.postgresql.org/docs/current/errcodes-appendix.html)
    init(state: String?, isConnecting: Bool, place: String, detail: String) {
        let code: Code =
            switch state {
            case nil: isConnecting ? .unreachable : .system
            // It shuts down, crashed, starts, has no connection left, or is a standby now.
            case "57P01", "57P02", "57P03", "57P05", "53300", "25006": .unreachable
            // Statements that were prepared for other tables, or were forgotten: a new connection looks anew.
            case "0A000", "26000": .unreachable
            // Of two that collided one is to try again.
            case "40001", "40P01": .unreachable
            case "57014", "55P03": .busy
            case "53100": .full
            case "42501": .permissionDenied
            case "42P01", "3F000", "3D000": .unavailable
            case let state? where state.hasPrefix("08"): .unreachable
            case let state? where state.hasPrefix("28"): .permissionDenied
            default: .system
            }
        self.init(code, place: place, detail: state.map { "\(detail) (SQLSTATE \($0))" } ?? detail)
    }

    /// A record is not the one that was loaded, although the lease is ours.
    static func changedRecord(place: String) -> StoreError {
        StoreError(.leaseLost, place: place, detail: "the record changed since it was loaded")
    }
}
#endif
