// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

extension ButtonText {
    /// The text in the language that the program itself is shown in.
    static var current: ButtonText { ButtonText(languages: Bundle.main.preferredLocalizations) }
}
