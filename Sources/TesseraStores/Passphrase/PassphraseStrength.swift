// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
public import TesseraOAuth

/// A check for passphrases that are too weak even with scrypt.
enum PassphraseStrength {
    static let minimumLength = 10
    private static let minimumVariety = 5
    private static let minimumDigits = 16

    /// Returns why a passphrase is easy to guess, or nil if it passes the check.
    static func weakness(of passphrase: String) -> String? {
        let characters = Array(passphrase.lowercased().unicodeScalars)
        if characters.count < Self.minimumLength { return "it has fewer than \(Self.minimumLength) characters" }
        if Set(characters).count < Self.minimumVariety {
            return "it has fewer than \(Self.minimumVariety) different characters"
        }
        if Self.isRun(characters) { return "it is a sequence of adjacent characters" }
        if Self.repeats(characters) { return "it repeats a shorter sequence" }
        let letters = characters.filter(\.properties.isAlphabetic)
        if letters.isEmpty, characters.count < Self.minimumDigits {
            return "it has no letters and fewer than \(Self.minimumDigits) characters"
        }
        if Self.isCommon(letters) { return "apart from digits and symbols, it is a common password" }
        return nil
    }

    /// Whether most characters are equal or adjacent to the one before, as in `abcdefghijkl` or `1234567890`.
    private static func isRun(_ characters: [Unicode.Scalar]) -> Bool {
        let neighbors = zip(characters, characters.dropFirst())
            .count { abs(Int64($0.value) - Int64($1.value)) <= 1 }
        return neighbors * 4 >= (characters.count - 1) * 3
    }

    /// Whether a passphrase repeats a shorter one, as in `hellohello` or `12abc12abc12`.
    private static func repeats(_ characters: [Unicode.Scalar]) -> Bool {
        (1...characters.count / 2)
            .contains { length in
                characters.indices.allSatisfy { characters[$0] == characters[$0 % length] }
            }
    }

    /// Whether the letters form a common word or a run of adjacent keys, as in `Password2024!` or `qwertyuiop`.
    private static func isCommon(_ letters: [Unicode.Scalar]) -> Bool {
        let word = String(String.UnicodeScalarView(letters))
        return Self.words.contains(word) || word.utf8.count >= 6 && Self.keyboards.contains { $0.contains(word) }
    }

    private static let words: Set<String> = [
        "admin", "administrator", "changeit", "changeme", "default", "dragon", "football", "iloveyou", "letmein",
        "master", "monkey", "passphrase", "password", "passwort", "princess", "qazwsxedc", "secret", "starwars",
        "sunshine", "superman", "tessera", "testtest", "trustno", "welcome", "whatever",
    ]
    private static let keyboards = [
        "qwertyuiopasdfghjklzxcvbnm", "qwertzuiopasdfghjklyxcvbnm", "azertyuiopqsdfghjklmwxcvbn",
    ]
}

extension EncryptedFileStore {
    /// Returns a new random 120-bit passphrase, which consists of 24 letters and digits in groups of four.
    ///
    /// The alphabet excludes letters that are easily confused (`i`, `l`, `o` and `u`).
    public static func generatePassphrase() -> Secret {
        let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".unicodeScalars)
        let bytes = SymmetricKey(size: .init(bitCount: 24 * 8)).withUnsafeBytes { Array($0) }
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if index > 0, index.isMultiple(of: 4) { text += "-" }
            text.unicodeScalars.append(alphabet[Int(byte % 32)])
        }
        return Secret(text)
    }

    /// Returns why a new store rejects a passphrase, for example "it has fewer than 10 characters", or nil if it is
    /// accepted.
    ///
    /// The text can be used to end a sentence. Only passphrases that are easy to guess are rejected: short ones, those
    /// with few different characters, runs, repetitions and common passwords. An accepted passphrase is not necessarily
    /// strong.
    public static func weakness(ofPassphrase passphrase: Secret) -> String? {
        passphrase.withUnredacted { PassphraseStrength.weakness(of: $0) }
    }
}
