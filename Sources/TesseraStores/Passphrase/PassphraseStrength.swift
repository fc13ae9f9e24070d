// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Crypto
public import TesseraOAuth

/// What makes a passphrase so weak that scrypt cannot make up for it.
enum PassphraseStrength {
    static let minimumLength = 10
    private static let minimumVariety = 5
    private static let minimumDigits = 16

    /// Why a passphrase is among the first that anyone would try; nil for any other.
    static func weakness(of passphrase: String) -> String? {
        let characters = Array(passphrase.lowercased().unicodeScalars)
        if characters.count < Self.minimumLength { return "it has fewer than \(Self.minimumLength) characters" }
        if Set(characters).count < Self.minimumVariety {
            return "it has fewer than \(Self.minimumVariety) different characters"
        }
        if Self.isRun(characters) { return "its characters follow each other" }
        if Self.repeats(characters) { return "it repeats a shorter one" }
        let letters = characters.filter(\.properties.isAlphabetic)
        if letters.isEmpty, characters.count < Self.minimumDigits {
            return "it has no letters and fewer than \(Self.minimumDigits) characters"
        }
        if Self.isCommon(letters) { return "apart from digits and signs it is a common password" }
        return nil
    }

    /// `abcdefghijkl`, `1234567890`: nearly every character is the one before it or its neighbour.
    private static func isRun(_ characters: [Unicode.Scalar]) -> Bool {
        let neighbours = zip(characters, characters.dropFirst())
            .count { abs(Int64($0.value) - Int64($1.value)) <= 1 }
        return neighbours * 4 >= (characters.count - 1) * 3
    }

    /// `hellohello`, `12abc12abc12`.
    private static func repeats(_ characters: [Unicode.Scalar]) -> Bool {
        (1...characters.count / 2)
            .contains { length in
                characters.indices.allSatisfy { characters[$0] == characters[$0 % length] }
            }
    }

    /// The letters of `Password2024!` or `qwertyuiop`: a word of the list, or keys that are neighbours.
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
    /// Returns a new random passphrase of 120 bits: 24 letters and digits in groups of four.
    ///
    /// The alphabet lacks the letters that are easily confused (`i`, `l`, `o`, `u`).
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

    /// Why a new store does not accept a passphrase, as a sentence's end ("it has fewer than 10 characters"); nil if it does.
    ///
    /// Only passphrases that anyone would try first are refused: short ones, ones of few different characters, runs,
    /// repetitions, and common passwords. That a passphrase is accepted does not make it strong.
    public static func weakness(ofPassphrase passphrase: Secret) -> String? {
        passphrase.withUnredacted { PassphraseStrength.weakness(of: $0) }
    }
}
