// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// The environment without secrets, which is passed to programs such as a browser.
///
/// Secrets are recognized by the variable's name, or by a value that is a URL with a user name or password. A browser
/// retains its environment while it is running and passes it on to the programs it starts.
package enum ProgramEnvironment {
    /// Returns the variables that do not contain secrets, with user names and passwords removed from proxy URLs.
    package static func withoutSecrets(_ environment: [String: String]) -> [String: String] {
        var result: [String: String] = [:]
        for (name, value) in environment {
            let upper = name.uppercased()
            if upper.hasSuffix("PROXY") {
                result[name] = Self.withoutUserInformation(value)
            } else if !Self.holdsSecret(upper), !Self.hasUserInformation(value) {
                result[name] = value
            }
        }
        return result
    }

    /// Whether a variable with this uppercase name probably contains a secret.
    private static func holdsSecret(_ name: String) -> Bool {
        // This startup notification token is not a secret. It lets the browser's window come to the front and can be
        // used only once.
        if name == "XDG_ACTIVATION_TOKEN" { return false }
        let words = [
            "PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "TOKEN", "CREDENTIAL", "APIKEY", "BEARER", "COOKIE", "JWT",
        ]
        let ends = ["_KEY", "_PASS", "_PWD", "_PAT", "_AUTH"]
        return name.hasPrefix("TESSERA_") || words.contains(where: name.contains)
            || ends.contains(where: name.hasSuffix)
    }

    /// Whether the value is a URL with a user name or password.
    private static func hasUserInformation(_ value: String) -> Bool {
        guard let scheme = Self.afterScheme(value) else { return false }
        return value[scheme...].prefix { $0 != "/" && $0 != "?" && $0 != "#" && $0 != " " }.contains("@")
    }

    /// Returns a proxy's URL up to the port, without the user name and password.
    private static func withoutUserInformation(_ value: String) -> String {
        guard let last = value.lastIndex(of: "@") else { return value }
        let scheme = Self.afterScheme(value).map { String(value[..<$0]) } ?? ""
        // A password that is not percent-encoded may contain any character, so search for the last `@`.
        let rest = value[value.index(after: last)...]
        return scheme + String(rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }

    /// Returns the index after the first `://`.
    private static func afterScheme(_ value: String) -> String.Index? {
        var rest = value[...]
        while let colon = rest.firstIndex(of: ":") {
            if rest[colon...].hasPrefix("://") { return rest.index(colon, offsetBy: 3) }
            rest = rest[rest.index(after: colon)...]
        }
        return nil
    }
}
