// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !canImport(Darwin)
import Foundation
import Tessera
import TesseraGTMAppAuth
import TesseraGoogleSignIn

// The parts of UIKit that the samples use.

@MainActor class UIResponder: NSObject {}

@MainActor protocol UIApplicationDelegate: AnyObject {
    func application(_ app: UIApplication, open url: URL, options: [String: Any]) -> Bool
}

@MainActor final class UIApplication: UIResponder {
    static let shared = UIApplication()

    weak var delegate: UIApplicationDelegate?
    var windows: [UIWindow] = []
    /// The browser that opens the pages of `OIDExternalUserAgent`s.
    var openURL: ((URL) -> Void)?
    /// The browser of `SignInPresenter`s.
    var userAgent: (any UserAgent)?
}

@MainActor final class UIWindow: UIResponder {
    var rootViewController: UIViewController?
}

/// Presents sign-ins, as `Docs/Differences.md` describes for systems without view controllers.
@MainActor class UIViewController: UIResponder, SignInPresenter, OIDExternalUserAgent {
    func viewDidLoad() {}

    nonisolated var signInUserAgent: any UserAgent {
        MainActor.assumeIsolated { UIApplication.shared.userAgent ?? SystemBrowserPresenter().signInUserAgent }
    }

    nonisolated func present(_ request: OIDExternalUserAgentRequest, session: OIDExternalUserAgentSession) -> Bool {
        let url: URL? = request.externalUserAgentRequestURL()
        return MainActor.assumeIsolated {
            guard let url, let openURL = UIApplication.shared.openURL else { return false }
            openURL(url)
            return true
        }
    }

    nonisolated func dismiss(animated: Bool, completion: @escaping @Sendable () -> Void) { completion() }
}

@MainActor final class UIButton {
    enum State { case normal }

    var isEnabled = true
    private(set) var title = ""

    func setTitle(_ title: String, for state: State) { self.title = title }
}

@MainActor final class UITextView {
    /// A closure that receives the text after each change.
    var didChange: ((String) -> Void)?
    var text: String? = "" {
        didSet { self.didChange?(self.text ?? "") }
    }
}
#endif
