// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(SwiftUI)
public import Combine
public import SwiftUI

/// A SwiftUI button for signing in with Google.
///
/// The wide style fills the proposed width. The other styles are as wide as their content. The button scales with the
/// user's text size, and its text wraps if necessary.
public struct GoogleSignInButton: View {
    /// The model that determines the button's appearance.
    @ObservedObject public var viewModel: GoogleSignInButtonViewModel
    private let action: () -> Void
    private let logo: Image?
    @ScaledMetric(relativeTo: .body) private var fontSize = ButtonMetrics.apple.fontSize
    private let text = ButtonText.current

    /// Creates a button with a view model and an action.
    public init(
        viewModel: GoogleSignInButtonViewModel = GoogleSignInButtonViewModel(),
        action: @escaping () -> Void
    ) {
        self.init(viewModel: viewModel, logo: nil, action: action)
    }

    /// Creates a button with a fixed appearance and an action.
    public init(
        scheme: GoogleSignInButtonColorScheme = .light,
        style: GoogleSignInButtonStyle = .standard,
        state: GoogleSignInButtonState = .normal,
        action: @escaping () -> Void
    ) {
        self.init(
            viewModel: GoogleSignInButtonViewModel(scheme: scheme, style: style, state: state),
            action: action
        )
    }

    private init(viewModel: GoogleSignInButtonViewModel, logo: Image?, action: @escaping () -> Void) {
        self.viewModel = viewModel
        self.logo = logo
        self.action = action
    }

    /// Replaces the logo that Tessera draws with the app's own image of Google's logo.
    public func googleSignInLogo(_ logo: Image) -> GoogleSignInButton {
        GoogleSignInButton(viewModel: self.viewModel, logo: logo, action: self.action)
    }

    /// The content of the view.
    public var body: some View {
        Button {
            self.action()
        } label: {
            if let words = self.text.words(self.viewModel.style) { Text(verbatim: words) }
        }
        .buttonStyle(
            GoogleSignInButtonAppearance(
                scheme: self.viewModel.scheme,
                style: self.viewModel.style,
                state: self.viewModel.state,
                logo: self.logo,
                metrics: ButtonMetrics.apple.scaled(toFontSize: self.fontSize)
            )
        )
        .disabled(self.viewModel.state == .disabled)
        .accessibilityLabel(Text(verbatim: self.text.signInWithGoogle))
        .accessibilityInputLabels(self.text.names(self.viewModel.style).map { Text(verbatim: $0) })
    }
}

/// The appearance of a ``GoogleSignInButton``.
///
/// The view updates when a property changes.
public final class GoogleSignInButtonViewModel: ObservableObject {
    /// The color scheme of the button.
    @Published public var scheme: GoogleSignInButtonColorScheme
    /// The content of the button.
    @Published public var style: GoogleSignInButtonStyle
    /// The state of the button.
    @Published public var state: GoogleSignInButtonState

    /// Creates a view model.
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
