// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera

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
