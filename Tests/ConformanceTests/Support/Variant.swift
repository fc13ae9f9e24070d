// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera
internal import TesseraOAuth

/// A response type and mode of the authorization response.
///
/// The plans of the conformance suite run the same modules with each variant.
enum Variant: String, Sendable, CaseIterable {
    /// The basic plan.
    case code = "code"
    /// The form post basic plan.
    case codeByFormPost = "code by form post"
    /// The hybrid plan.
    case hybrid = "code and ID token in the fragment"
    /// The form post hybrid plan.
    case hybridByFormPost = "code and ID token by form post"

    /// The sign-in options that request this variant.
    var options: SignInOptions {
        var options = SignInOptions()
        if [.hybrid, .hybridByFormPost].contains(self) { options.responseType = .codeIDToken }
        if [.codeByFormPost, .hybridByFormPost].contains(self) { options.responseMode = .formPost }
        return options
    }
}
