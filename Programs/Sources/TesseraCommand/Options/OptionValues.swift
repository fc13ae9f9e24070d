// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import ArgumentParser
internal import Tessera
internal import TesseraJOSE

/// Validates issuers from the command line.
enum IssuerText {
    /// Parses an issuer.
    ///
    /// - Parameters:
    ///   - text: The issuer.
    ///   - option: The option that it was specified with, for the error message.
    ///   - insecure: The insecure features to allow.
    /// - Returns: The issuer.
    /// - Throws: ``CommandError`` with an explanation if the issuer is not valid.
    static func read(_ text: String, option: String, insecure: Insecure) throws(CommandError) -> Issuer {
        do { return try Issuer(text, insecure: insecure) } catch { throw Self.error(text, option: option) }
    }

    /// Returns an error that explains why an issuer was rejected.
    static func error(_ text: String, option: String) -> CommandError {
        let (words, advice) = Self.explanation(text)
        return .usage("\(option): “\(UntrustedText.printable(text, limit: 200))” \(words)", advice)
    }

    private static func explanation(_ text: String) -> (words: String, advice: String) {
        let form = "Use the exact issuer that the provider publishes, such as https://accounts.example.com."
        if text.isEmpty { return ("is empty", form) }
        if text.contains(where: \.isWhitespace) { return ("contains whitespace", form) }
        if (try? Issuer(text, insecure: .loopbackHTTP)) != nil {
            return ("uses plain http", "Add --allow-loopback-http if the provider is on this machine.")
        }
        if text.lowercased().hasPrefix("http://") {
            return ("uses plain http, which is allowed only for loopback addresses", "Use https.")
        }
        guard text.lowercased().hasPrefix("https://") else { return ("is not an https URL", form) }
        return ("is not a valid issuer: it has a query, a fragment or a user name, or is not a URL", form)
    }
}

/// Parses scopes from the command line, where each value has one or more scopes separated by spaces.
enum ScopeArgument {
    /// Rejects values without a scope.
    ///
    /// - Parameters:
    ///   - texts: The values.
    ///   - name: The name of the option or argument.
    /// - Throws: `ValidationError` if a value is empty.
    static func validate(_ texts: [String], of name: String) throws {
        guard texts.contains(where: { $0.allSatisfy(\.isWhitespace) }) else { return }
        throw ValidationError("\(name) cannot be empty. Specify a scope, such as email.")
    }

    /// Returns the scopes in the values.
    static func scopes(_ texts: [String]) -> [Scope] {
        texts.flatMap { $0.split(whereSeparator: \.isWhitespace) }.map { Scope(String($0)) }
    }
}

/// A duration such as `30s`, `5m`, `1h`, `1h30m`, or a number of seconds.
package struct TimeSpan: ExpressibleByArgument, Sendable {
    package let duration: Duration
    private let text: String

    /// The default time limit for the user to sign in.
    static let fiveMinutes = TimeSpan(.seconds(300), "5m")

    /// The default time limit for retrying after temporary failures.
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
        // No limit needs to be longer than a year.
        guard seconds <= 31_622_400 else { return nil }
        self.init(.seconds(seconds), argument)
    }

    package var defaultValueDescription: String { self.text }
}
