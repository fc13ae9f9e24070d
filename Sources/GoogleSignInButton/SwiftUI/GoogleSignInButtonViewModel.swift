// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Combine)
public import Combine

/// What a ``GoogleSignInButton`` shows; the view follows every change.
public final class GoogleSignInButtonViewModel: ObservableObject {
    /// The colours.
    @Published public var scheme: GoogleSignInButtonColorScheme
    /// How much the button says.
    @Published public var style: GoogleSignInButtonStyle
    /// What the button is doing.
    @Published public var state: GoogleSignInButtonState

    /// A model of a button.
    public init(
        scheme: GoogleSignInButtonColorScheme = .light,
        style: GoogleSignInButtonStyle = .standard,
        state: GoogleSignInButtonState = .normal
    ) {
        self.scheme = scheme
        self.style = style
        self.state = state
    }
}
#endif
