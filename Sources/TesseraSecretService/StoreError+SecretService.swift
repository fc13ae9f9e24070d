// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraSecretService
internal import Tessera

extension StoreError {
    /// What the service, or the way to it, said.
    init(_ failure: tessera_secret_failure) {
        let words = withUnsafeBytes(of: failure.words) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        // Whatever has the service's name on the bus may have written them.
        let text = UntrustedText.printable(words)
        func because(_ sentence: String) -> String { text.isEmpty ? sentence : "\(sentence): \(text)" }
        let (code, detail): (Code, String) =
            switch failure.status {
            case TESSERA_SECRET_NO_LIBRARY:
                (.unavailable, because("libsecret cannot be opened; the Debian package libsecret-1-0 brings it"))
            case TESSERA_SECRET_NO_BUS: (.unavailable, because("no session bus answers"))
            case TESSERA_SECRET_NO_SERVICE:
                (.unavailable, because("no keyring runs (gnome-keyring, KWallet and KeePassXC are ones)"))
            case TESSERA_SECRET_LOCKED:
                (.locked, because("its collection is locked, and nobody can be asked to unlock it here"))
            case TESSERA_SECRET_DISMISSED: (.locked, because("it was not unlocked"))
            case TESSERA_SECRET_NO_COLLECTION:
                (.unavailable, because("there is no default collection, and nobody can be asked for its password here"))
            case TESSERA_SECRET_TIMED_OUT: (.unavailable, "it did not answer in time")
            default: (.system, because("it failed"))
            }
        self.init(code, place: SecretService.place, detail: detail)
    }
}
