// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

@testable internal import TesseraSignInButton
internal import TestTraits
internal import Testing

@Suite("Sign-in button text")
struct ButtonTextInternalTests {
    static let languages = [
        "ar", "ca", "cs", "da", "de", "el", "en", "en-GB", "es", "es-MX", "fi", "fr", "fr-CA", "he", "hi", "hr", "hu",
        "id", "it", "ja", "ko", "ms", "nb", "nl", "pl", "pt", "pt-BR", "pt-PT", "ro", "ru", "sk", "sv", "th", "tr",
        "uk", "vi", "zh-Hans", "zh-Hant",
    ]

    @Test("Has both texts for every language of Google's button")
    func complete() {
        #expect(ButtonText.all.map(\.language).sorted() == Self.languages.sorted())
        for text in ButtonText.all {
            #expect(!text.signIn.isEmpty)
            #expect(text.signInWithGoogle.contains("Google"))
            #expect(!text.signIn.contains("Google"))
            for words in [text.signIn, text.signInWithGoogle] {
                #expect(words.first?.isWhitespace == false)
                #expect(words.last?.isWhitespace == false)
            }
        }
    }

    @Test("Finds a language by its tag", arguments: languages)
    func ownTag(language: String) {
        #expect(ButtonText(languages: [language]).language == language)
        #expect(ButtonText(languages: [language.uppercased()]).language == language)
    }

    @Test(
        "Shortens a tag until a language matches and falls back to English",
        arguments: [
            ("de-AT", "de"), ("de_AT.UTF-8", "de"), ("de-Latn-AT-1996", "de"), ("de-x-dialect", "de"), ("fr-CH", "fr"),
            ("pt", "pt"), ("pt-AO", "pt-PT"), ("pt-CV", "pt"), ("zh", "zh-Hans"), ("zh-CN", "zh-Hans"),
            ("zh-TW", "zh-Hant"), ("zh-Hant-HK", "zh-Hant"), ("zh-HK", "zh-Hant"), ("es-419", "es-MX"), ("es-AR", "es"),
            ("no", "nb"), ("nn-NO", "nb"), ("iw", "he"), ("in-ID", "id"), ("en-US", "en"), ("xx", "en"), ("", "en"),
            ("-", "en"), ("C", "en"),
        ]
    )
    func fallback(tag: String, language: String) {
        #expect(ButtonText(languages: [tag]).language == language)
    }

    @Test("Uses the first preferred language that has a text")
    func severalLanguages() {
        #expect(ButtonText(languages: ["xx", "ja-JP", "de"]).language == "ja")
        #expect(ButtonText(languages: []).language == "en")
    }

    @Test("Marks only Arabic and Hebrew as right-to-left")
    func direction() {
        #expect(ButtonText.all.filter(\.isRightToLeft).map(\.language) == ["ar", "he"])
    }

    @Test(
        "Returns the text and the accessibility names of each style",
        .original("GoogleSignIn GIDSignInButton.m buttonText")
    )
    func words() {
        let text = ButtonText(languages: ["en"])
        #expect(text.words(.standard) == "Sign in")
        #expect(text.words(.wide) == "Sign in with Google")
        #expect(text.words(.icon) == nil)
        #expect(text.names(.standard) == ["Sign in", "Sign in with Google"])
        #expect(text.names(.icon) == ["Sign in with Google"])
    }

    @Test("Has a text for the system language")
    func system() {
        #expect(ButtonText.all.contains(ButtonText.current))
    }
}
