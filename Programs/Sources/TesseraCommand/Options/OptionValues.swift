// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
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

    /// Returns what is wrong with a rejected issuer.
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

/// Scopes as the command line names them: one or several in each value, with spaces between them.
enum ScopeText {
    /// Rejects values that name no scope.
    ///
    /// - Parameters:
    ///   - texts: The values.
    ///   - name: The option or the argument.
    /// - Throws: `ValidationError`.
    static func validate(_ texts: [String], of name: String) throws {
        guard texts.contains(where: { $0.allSatisfy(\.isWhitespace) }) else { return }
        throw ValidationError("\(name) cannot be empty: name a scope, such as email.")
    }

    /// The scopes that the values name.
    static func scopes(_ texts: [String]) -> [Scope] {
        texts.flatMap { $0.split(whereSeparator: \.isWhitespace) }.map { Scope(String($0)) }
    }
}

/// A duration as people write it: `30s`, `5m`, `1h`, `1h30m`, or a number of seconds.
package struct TimeSpan: ExpressibleByArgument, Sendable {
    package let duration: Duration
    private let text: String

    /// The default time limit for the user.
    static let fiveMinutes = TimeSpan(.seconds(300), "5m")

    /// How long a failure may take to pass, unless told otherwise.
    package static let twoMinutes = TimeSpan(.seconds(120), "2m")

    private init(_ duration: Duration, _ text: String) {
        self.duration = duration
        self.text = text
    }

    package init?(argument: String) {
        var seconds: Int64 = 0
        var rest = argument[...]
        guard !rest.isEmpty else { return nil }
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard digits.utf8.count <= 9, let number = Int64(digits) else { return nil }
            rest = rest.dropFirst(digits.count)
            switch rest.popFirst() {
            case "s", nil: seconds += number
            case "m": seconds += number * 60
            case "h": seconds += number * 3_600
            case "d": seconds += number * 86_400
            default: return nil
            }
        }
        // A year is long enough for every limit.
        guard seconds <= 31_622_400 else { return nil }
        self.init(.seconds(seconds), argument)
    }

    package var defaultValueDescription: String { self.text }
}
