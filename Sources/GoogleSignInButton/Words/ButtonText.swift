// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What the button says, in one language.
struct ButtonText: Sendable, Hashable {
    /// The tag of the language that was found, as BCP 47 writes it.
    let language: String
    let signIn: String
    let signInWithGoogle: String

    /// Whether the language is written from right to left.
    var isRightToLeft: Bool { self.language == "ar" || self.language == "he" }

    /// What the button may be called by voice: the words that it shows first.
    func names(_ style: GoogleSignInButtonStyle) -> [String] {
        style == .standard ? [self.signIn, self.signInWithGoogle] : [self.signInWithGoogle]
    }

    /// The words that a button of this style shows.
    func words(_ style: GoogleSignInButtonStyle) -> String? {
        switch style {
        case .standard: self.signIn
        case .wide: self.signInWithGoogle
        case .icon: nil
        }
    }
}
