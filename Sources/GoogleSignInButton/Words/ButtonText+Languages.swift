// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

extension ButtonText {
    /// The text in every language that there is one in.
    static let all: [ButtonText] =
        [english]
        + table.map { language, signIn, signInWithGoogle in
            ButtonText(language: language, signIn: signIn, signInWithGoogle: signInWithGoogle)
        }

    /// The text where there is none in the language that was asked for.
    static let english = ButtonText(language: "en", signIn: "Sign in", signInWithGoogle: "Sign in with Google")

    /// Language, "Sign in", "Sign in with Google": all but English.
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
