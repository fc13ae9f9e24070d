// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// The button's text in one language.
struct ButtonText: Sendable, Hashable {
    /// The language's BCP 47 tag.
    let language: String
    let signIn: String
    let signInWithGoogle: String

    /// Whether the language is written from right to left.
    var isRightToLeft: Bool { self.language == "ar" || self.language == "he" }

    /// Returns the names that voice control accepts for the button, starting with the displayed text.
    func names(_ style: GoogleSignInButtonStyle) -> [String] {
        style == .standard ? [self.signIn, self.signInWithGoogle] : [self.signInWithGoogle]
    }

    /// Returns the text that a button with this style displays, or nil if it has none.
    func words(_ style: GoogleSignInButtonStyle) -> String? {
        switch style {
        case .standard: self.signIn
        case .wide: self.signInWithGoogle
        case .icon: nil
        }
    }
}

extension ButtonText {
    /// Creates the text in the first supported language, or in English if none is supported.
    ///
    /// - SeeAlso: [RFC 4647, section 3.4](https://www.rfc-editor.org/rfc/rfc4647.html#section-3.4)
    init(languages: [String]) {
        self = languages.lazy.compactMap(Self.lookup).first ?? Self.english
    }

    private static let byTag: [String: ButtonText] = {
        var found: [String: ButtonText] = [:]
        for text in all { found[text.language.lowercased()] = text }
        for (tag, language) in otherTags { found[tag] = found[language.lowercased()] }
        return found
    }()

    /// Additional tags, which are obsolete tags and regional tags that share their script or wording with another
    /// language.
    private static let otherTags: [(String, String)] = [
        ("zh", "zh-Hans"), ("zh-cn", "zh-Hans"), ("zh-sg", "zh-Hans"), ("zh-tw", "zh-Hant"), ("zh-hk", "zh-Hant"),
        ("zh-mo", "zh-Hant"), ("no", "nb"), ("nn", "nb"), ("iw", "he"), ("in", "id"), ("es-419", "es-MX"),
        ("pt-ao", "pt-PT"), ("pt-mz", "pt-PT"),
    ]

    /// Returns the text for a tag, removing subtags from the end until one matches.
    private static func lookup(_ tag: String) -> ButtonText? {
        // POSIX locales have a suffix that is not part of the tag, as in de_AT.UTF-8@euro.
        let name = tag.prefix { $0 != "." && $0 != "@" }
        var parts = name.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" })
        while !parts.isEmpty {
            if let text = self.byTag[parts.joined(separator: "-")] { return text }
            parts.removeLast()
            // A single-letter subtag only introduces the removed subtag.
            if parts.last?.count == 1 { parts.removeLast() }
        }
        return nil
    }
}

extension ButtonText {
    /// The text in the language of the app's user interface.
    static var current: ButtonText { ButtonText(languages: Bundle.main.preferredLocalizations) }
}

extension ButtonText {
    /// The text in all supported languages.
    static let all: [ButtonText] =
        [english]
        + table.map { language, signIn, signInWithGoogle in
            ButtonText(language: language, signIn: signIn, signInWithGoogle: signInWithGoogle)
        }

    /// The English text, which is the fallback for unsupported languages.
    static let english = ButtonText(language: "en", signIn: "Sign in", signInWithGoogle: "Sign in with Google")

    /// The language, "Sign in" and "Sign in with Google" for every language except English.
    private static let table: [(String, String, String)] = [
        ("ar", "تسجيل الدخول", "تسجيل الدخول باستخدام Google"),
        ("ca", "Inicia la sessió", "Inicia la sessió amb Google"),
        ("cs", "Přihlásit se", "Přihlásit se přes Google"),
        ("da", "Log ind", "Log ind med Google"),
        ("de", "Anmelden", "Über Google anmelden"),
        ("el", "Σύνδεση", "Σύνδεση μέσω Google"),
        ("en-GB", "Sign in", "Sign in with Google"),
        ("es", "Iniciar sesión", "Iniciar sesión con Google"),
        ("es-MX", "Acceder", "Acceder con Google"),
        ("fi", "Kirjaudu sisään", "Kirjaudu sisään Google-tilillä"),
        ("fr", "Se connecter", "Se connecter avec Google"),
        ("fr-CA", "Se connecter", "Se connecter avec Google"),
        ("he", "כניסה", "כניסה באמצעות Google"),
        ("hi", "साइन इन करें", "Google से साइन इन करें"),
        ("hr", "Prijava", "Prijava putem Googlea"),
        ("hu", "Bejelentkezés", "Bejelentkezés Google-fiókkal"),
        ("id", "Login", "Login dengan Google"),
        ("it", "Accedi", "Accedi con Google"),
        ("ja", "ログイン", "Google でログイン"),
        ("ko", "로그인", "Google 계정으로 로그인"),
        ("ms", "Log masuk", "Log masuk dengan Google"),
        ("nb", "Logg på", "Logg på med Google"),
        ("nl", "Inloggen", "Inloggen met Google"),
        ("pl", "Zaloguj się", "Zaloguj się przez Google"),
        ("pt", "Fazer login", "Fazer login com o Google"),
        ("pt-BR", "Fazer login", "Fazer login com o Google"),
        ("pt-PT", "Iniciar sessão", "Iniciar sessão com o Google"),
        ("ro", "Conectează-te", "Conectează-te cu Google"),
        ("ru", "Войти", "Войти через Google"),
        ("sk", "Prihlásiť sa", "Prihlásiť sa cez Google"),
        ("sv", "Logga in", "Logga in med Google"),
        ("th", "ลงชื่อเข้าใช้", "ลงชื่อเข้าใช้ด้วย Google"),
        ("tr", "Oturum aç", "Google ile oturum aç"),
        ("uk", "Увійти", "Увійти через Google"),
        ("vi", "Đăng nhập", "Đăng nhập bằng Google"),
        ("zh-Hans", "登录", "使用 Google 账号登录"),
        ("zh-Hant", "登入", "使用 Google 帳戶登入"),
    ]
}
