// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(SwiftUI)
public import Combine
public import SwiftUI

/// Google's sign-in button for SwiftUI.
///
/// The wide style fills the width that it is offered; the others are as wide as their content. The button grows with the
/// user's text size, and its text wraps where the width is not enough.
public struct GoogleSignInButton: View {
    /// What the button shows.
    @ObservedObject public var viewModel: GoogleSignInButtonViewModel
    private let action: () -> Void
    private let logo: Image?
    @ScaledMetric(relativeTo: .body) private var fontSize = ButtonMetrics.apple.fontSize
    private let text = ButtonText.current

    /// A button that shows what `viewModel` holds, and calls `action` when it is pressed.
    public init(
        viewModel: GoogleSignInButtonViewModel = GoogleSignInButtonViewModel(),
        action: @escaping () -> Void
    ) {
        self.init(viewModel: viewModel, logo: nil, action: action)
    }

    /// A button that calls `action` when it is pressed.
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

    /// Replaces the logo that Tessera draws by a picture of Google's logo that your app contains.
    public func googleSignInLogo(_ logo: Image) -> GoogleSignInButton {
        GoogleSignInButton(viewModel: self.viewModel, logo: logo, action: self.action)
    }

    /// The view.
    public var body: some View {
        Button {
            self.action()
        } label: {
            if let words = self.text.words(self.viewModel.style) { Text(verbatim: words) }
        }
        .buttonStyle(
            GoogleSignInButtonLook(
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
