// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// How the answer comes: the plans of the conformance suite run the same modules in each of these ways.
enum Variant: String, Sendable, CaseIterable {
    /// The basic plan.
    case code = "code"
    /// The form post basic plan.
    case codeByFormPost = "code by form post"
    /// The hybrid plan.
    case hybrid = "code and ID token in the fragment"
    /// The form post hybrid plan.
    case hybridByFormPost = "code and ID token by form post"

    /// The options of a sign-in that asks for it.
    var options: SignInOptions {
        var options = SignInOptions()
        if [.hybrid, .hybridByFormPost].contains(self) { options.responseType = .codeIDToken }
        if [.codeByFormPost, .hybridByFormPost].contains(self) { options.responseMode = .formPost }
        return options
    }
}
