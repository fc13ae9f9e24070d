// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What a program that opens a browser inherits: everything that a desktop program may need, and no secret.
///
/// Names decide, and where they do not, a value that is a URL with a password in it. A browser keeps its environment for as
/// long as it runs, and gives it to every program that it starts.
enum OpenerEnvironment {
    /// The variables without those that hold secrets, and the addresses of proxies without user names and passwords.
    static func withoutSecrets(_ environment: [String: String]) -> [String: String] {
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

    /// Whether the name, in upper case, says that the value is a secret, or may be one.
    private static func holdsSecret(_ name: String) -> Bool {
        // Startup notification: lets the browser's window come to the front, and is used up then.
        if name == "XDG_ACTIVATION_TOKEN" { return false }
        let words = [
            "PASSWORD", "PASSWD", "PASSPHRASE", "SECRET", "TOKEN", "CREDENTIAL", "APIKEY", "BEARER", "COOKIE", "JWT",
        ]
        let ends = ["_KEY", "_PASS", "_PWD", "_PAT", "_AUTH"]
        return name.hasPrefix("TESSERA_") || words.contains(where: name.contains)
            || ends.contains(where: name.hasSuffix)
    }

    /// Whether a URL in the value has a user name or a password.
    private static func hasUserInformation(_ value: String) -> Bool {
        guard let scheme = Self.afterScheme(value) else { return false }
        return value[scheme...].prefix { $0 != "/" && $0 != "?" && $0 != "#" && $0 != " " }.contains("@")
    }

    /// A proxy's address up to its port, its user name and password left out.
    private static func withoutUserInformation(_ value: String) -> String {
        guard let last = value.lastIndex(of: "@") else { return value }
        let scheme = Self.afterScheme(value).map { String(value[..<$0]) } ?? ""
        // A password may have any character in it where it is not encoded.
        let rest = value[value.index(after: last)...]
        return scheme + String(rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" })
    }

    /// The place after the first `://`.
    private static func afterScheme(_ value: String) -> String.Index? {
        var rest = value[...]
        while let colon = rest.firstIndex(of: ":") {
            if rest[colon...].hasPrefix("://") { return rest.index(colon, offsetBy: 3) }
            rest = rest[rest.index(after: colon)...]
        }
        return nil
    }
}
