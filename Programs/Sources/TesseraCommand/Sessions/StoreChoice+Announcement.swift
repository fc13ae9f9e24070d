// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraDefaults

extension StoreChoice {
    /// Says on standard error which store was chosen and why, the first time only.
    func announce() {
        guard self.isNew else { return }
        Console.note("tessera: \(self.words)")
    }

    private var words: String {
        guard let obstacle else { return "Sessions are kept in \(self.uri) from now on." }
        let reason = obstacle.detail.map { "; the keyring cannot be used here: \($0)" } ?? ""
        return "Sessions are kept in \(self.uri) from now on\(reason)."
    }
}
