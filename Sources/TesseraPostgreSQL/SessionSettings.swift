// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if PostgreSQL
internal import Tessera

/// What a connection's session on the server is set to, whatever the server's or the role's own defaults are.
struct SessionSettings: Sendable {
    var statementTimeout: Duration

    private static let statement = SQLStatement(
        """
        SELECT set_config('statement_timeout', $1::text, false),
            set_config('idle_in_transaction_session_timeout', $1::text, false),
            set_config('default_transaction_isolation', 'read committed', false),
            set_config('default_transaction_read_only', 'off', false),
            set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') = 'off'
                THEN 'on' ELSE current_setting('synchronous_commit') END, false)
        """
    )

    func apply(_ link: inout Link) throws(StoreError) {
        let milliseconds = Int64(self.statementTimeout / .milliseconds(1))
        _ = try link.run(Self.statement, [SQLValue("\(milliseconds)")])
    }
}
#endif
