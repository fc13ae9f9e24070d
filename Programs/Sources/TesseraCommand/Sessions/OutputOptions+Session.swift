// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJSON
internal import TesseraStores

extension OutputOptions {
    /// Says who is signed in now, what was granted, and where the session is kept.
    func report(_ session: OAuthSession, in shelf: SessionShelf, title: String, _ more: [JSONMember] = []) {
        let report = AccountReport(session.record)
        var table = FieldTable()
        table.add("Account", report.account)
        table.add("Provider", report.provider)
        table.add("Granted", report.granted)
        table.add("Missing", report.missing.map { "\($0)  (not granted)" })
        table.add("Token", report.token)
        table.add("Kept in", shelf.uri.description)
        let store = JSONMember(name: "store", value: .string(shelf.uri.description))
        self.result(.object(report.members + [store] + more), "\(title)\n\n\(table.text)")
    }
}
