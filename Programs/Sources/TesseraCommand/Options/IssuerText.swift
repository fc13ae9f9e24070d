// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraJOSE

/// An issuer as the command line names it.
enum IssuerText {
    /// Reads an issuer.
    ///
    /// - Parameters:
    ///   - text: The issuer.
    ///   - option: Where it was given, for the error.
    ///   - insecure: What is permitted.
    /// - Returns: The issuer.
    /// - Throws: ``CommandError`` that tells the user what is wrong with it.
    static func read(_ text: String, option: String, insecure: Insecure) throws(CommandError) -> Issuer {
        do { return try Issuer(text, insecure: insecure) } catch { throw Self.error(text, option: option) }
    }

    /// What is wrong with a text that was not accepted as an issuer.
    static func error(_ text: String, option: String) -> CommandError {
        let (words, advice) = Self.explanation(text)
        return .usage("\(option): “\(UntrustedText.printable(text, limit: 200))” \(words)", advice)
    }

    private static func explanation(_ text: String) -> (words: String, advice: String) {
        let form = "Write the issuer exactly as the provider does, such as https://accounts.example.com."
        if text.isEmpty { return ("is empty", form) }
        if text.contains(where: \.isWhitespace) { return ("contains white space", form) }
        if (try? Issuer(text, insecure: .loopbackHTTP)) != nil {
            return ("uses plain http", "Add --allow-loopback-http if the provider is on this machine.")
        }
        if text.lowercased().hasPrefix("http://") {
            return ("uses plain http, which only a loopback address may use", "Use https.")
        }
        guard text.lowercased().hasPrefix("https://") else { return ("is not an https URL", form) }
        return ("is not an issuer: it has a query, a fragment or a user name, or is not a valid URL", form)
    }
}
