// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraAgent

/// The sessions of one store, as the agent finds them.
struct AgentShelf: AgentAccounts {
    let shelf: SessionShelf

    func records() async throws -> [SessionRecord] { try await self.shelf.items().compactMap(\.readable) }

    func record(named name: String?) async throws -> SessionRecord {
        do {
            return try await self.shelf.record(named: name)
        } catch let error as CommandError {
            let code: AgentError.Code = error.status == .signInNeeded ? .loginRequired : .accountSelectionRequired
            throw AgentError(code, detail: "\(error.description). \(error.recoverySuggestion ?? "")")
        }
    }

    func signIn(for record: SessionRecord) -> SignIn { self.shelf.signIn(for: record) }
}
