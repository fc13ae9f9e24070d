// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Dispatch
internal import TesseraStores
internal import Tessera
internal import TesseraOAuth
internal import TesseraUserAgents

/// Reads the passphrase for a store from `TESSERA_PASSPHRASE`, or asks the user once on the terminal.
final class PassphrasePrompt: Sendable {
    /// The location of the store, for the prompt.
    private let location: String
    private let typed = Mutex<Secret?>(nil)

    init(location: String) { self.location = location }

    /// Returns the passphrase, and blocks while the user types it.
    ///
    /// - Throws: ``StoreError`` `wrongPassphrase` if there is no terminal, the user entered nothing, or a new
    ///   passphrase was not repeated correctly.
    func passphrase(to purpose: PassphrasePurpose) throws(StoreError) -> Secret {
        if let given = Environment.value("TESSERA_PASSPHRASE") { return Secret(given) }
        guard Console.canAsk else {
            throw self.failure("no passphrase was provided; set TESSERA_PASSPHRASE, or run the command in a terminal")
        }
        if let typed = self.typed.withLock({ $0 }) { return typed }
        let passphrase = try self.ask(to: purpose)
        self.typed.withLock { $0 = passphrase }
        return passphrase
    }

    private func ask(to purpose: PassphrasePurpose) throws(StoreError) -> Secret {
        switch purpose {
        case .open:
            return try self.ask("Passphrase for \(self.location): ")
        case .choose:
            Console.note("\(self.location) is new. Its sessions cannot be recovered without the passphrase.")
            return try self.choose()
        }
    }

    /// Returns a new passphrase that the user typed twice, or a random one that is shown once.
    private func choose() throws(StoreError) -> Secret {
        while true {
            let chosen = try self.ask("New passphrase (press Return to generate one): ")
            if chosen == Secret("") {
                let generated = EncryptedFileStore.generatePassphrase()
                generated.withUnredacted { Console.note("The passphrase is: \($0)") }
                Console.note("Write it down now. It will not be shown again.")
                return generated
            }
            if let weakness = EncryptedFileStore.weakness(ofPassphrase: chosen) {
                Console.note("That passphrase is too weak: \(weakness). Choose another one.")
                continue
            }
            guard try self.ask("Repeat the passphrase: ") == chosen else {
                throw self.failure("the passphrases do not match")
            }
            return chosen
        }
    }

    private func ask(_ question: String) throws(StoreError) -> Secret {
        if Interruption.happened { throw self.failure("no passphrase was entered") }
        // Turn off echo before the question appears.
        let lines = TerminalPaste.lines(endsAtControlD: true)
        Console.noteRaw("\(question)")
        let response = Mutex<Secret?>(nil)
        let finished = DispatchSemaphore(value: 0)
        let typing = Task {
            for await line in lines {
                response.withLock { $0 = Secret(line) }
                break
            }
            finished.signal()
        }
        // This thread belongs to the store, so an interruption of the program has to end the prompt here too.
        while finished.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            if Interruption.happened { typing.cancel() }
        }
        Console.noteRaw("\n")
        guard let typed = response.withLock({ $0 }) else { throw self.failure("no passphrase was entered") }
        return typed
    }

    private func failure(_ words: String) -> StoreError {
        StoreError(.wrongPassphrase, location: self.location, detail: words)
    }
}
