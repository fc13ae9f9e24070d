// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import ArgumentParser
package import Tessera

/// Whose session a command is about, and where it lies.
package struct AccountOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Whose session: the name given at sign-in, the email address or the subject; where that is not enough, with \
            @CLIENT-ID or @ISSUER after it. Needed where several are.
            """,
            valueName: "name"
        )
    )
    var account: String?

    @OptionGroup var store: StoreOptions

    package init() {}

    /// The record that was named.
    package func record() async throws -> (SessionRecord, SessionShelf) {
        let shelf = try self.store.open()
        return (try await shelf.record(named: self.account), shelf)
    }
}
