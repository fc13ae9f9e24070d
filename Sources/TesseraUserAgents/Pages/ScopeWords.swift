// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraOAuth

/// A scope in words for a person.
struct ScopeWords {
    let text: String
    /// Whether the text is words, not a name for programs.
    let isPlain: Bool

    init(_ scope: Scope) {
        let words: [String: String] = [
            "openid": "Know who you are",
            "email": "See your email address",
            "profile": "See your name and picture",
            "address": "See your postal address",
            "phone": "See your phone number",
            "offline_access": "Stay signed in when you are away",
        ]
        let name = scope.rawValue
        // The scopes of several providers are addresses whose last part names the access.
        let lastPart = name.contains("://") ? name.split(separator: "/").last.map(String.init) ?? name : name
        let alias = ["userinfo.email": "email", "userinfo.profile": "profile"][lastPart] ?? lastPart
        self.text = words[alias] ?? lastPart
        self.isPlain = words[alias] != nil
    }
}
