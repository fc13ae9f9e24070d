// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import Dispatch
internal import TesseraStores
internal import Tessera
internal import TesseraOAuth
internal import TesseraUserAgents

/// Reads the passphrase of a store from `TESSERA_PASSPHRASE`, or asks the user at the terminal once.
final class PassphrasePrompt: Sendable {
    /// The store that the passphrase opens.
    private let place: String
    private let typed = Mutex<Secret?>(nil)

    init(place: String) { self.place = place }

    /// The passphrase; blocks while the user types.
    ///
    /// - Throws: ``StoreError`` `wrongPassphrase` if there is no terminal, nothing was typed, or a new passphrase was not typed
    ///   identically twice.
    func passphrase(to purpose: PassphrasePurpose) throws(StoreError) -> Secret {
        if let given = Environment.value("TESSERA_PASSPHRASE") { return Secret(given) }
        guard Console.canAsk else {
            throw self.failure("no passphrase was given; set TESSERA_PASSPHRASE, or run the command in a terminal")
        }
        if let typed = self.typed.withLock({ $0 }) { return typed }
        let passphrase = try self.ask(to: purpose)
        self.typed.withLock { $0 = passphrase }
        return passphrase
    }

    private func ask(to purpose: PassphrasePurpose) throws(StoreError) -> Secret {
        switch purpose {
        case .open:
            return try self.ask("Passphrase for \(self.place): ")
        case .choose:
            Console.note("\(self.place) is new. Its sessions cannot be recovered without the passphrase.")
            return try self.choose()
        }
    }

    /// A new passphrase, typed twice, or a random one, shown once.
    private func choose() throws(StoreError) -> Secret {
        while true {
            let chosen = try self.ask("New passphrase (press Return to generate one): ")
            if chosen == Secret("") {
                let generated = EncryptedFileStore.generatePassphrase()
                generated.withUnredacted { Console.note("The passphrase is: \($0)") }
                Console.note("Write it down now: it is not shown again.")
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
        if Interruption.happened { throw self.failure("no passphrase was typed") }
        // The terminal does not echo from here on, before it shows the question.
        let lines = TerminalPaste.lines(endsAtControlD: true)
        Console.noteRaw("\(question)")
        let answer = Mutex<Secret?>(nil)
        let isThere = DispatchSemaphore(value: 0)
        let typing = Task {
            for await line in lines {
                answer.withLock { $0 = Secret(line) }
                break
            }
            isThere.signal()
        }
        // This thread belongs to the store, and an interruption of the program also ends the prompt.
        while isThere.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            if Interruption.happened { typing.cancel() }
        }
        Console.noteRaw("\n")
        guard let typed = answer.withLock({ $0 }) else { throw self.failure("no passphrase was typed") }
        return typed
    }

    private func failure(_ words: String) -> StoreError {
        StoreError(.wrongPassphrase, place: self.place, detail: words)
    }
}
