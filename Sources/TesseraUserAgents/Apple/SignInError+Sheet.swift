// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Tessera

extension SignInError {
    /// Creates the error for a failure in the domain `ASWebAuthenticationSessionError`, or nil for an unknown code.
    ///
    /// The system also reports "canceled" when it refuses to show the page at all, and then says why: only a cancellation
    /// without such a reason means that the user closed the page.
    ///
    /// - Parameters:
    ///   - sheetCode: The failure's code: 1 canceled, 2 no presentation context, 3 invalid presentation context.
    ///   - userInfo: What the system says about the failure, with the underlying error's information in place of the
    ///     error.
    ///   - callback: The redirect that the sheet was waiting for.
    init?(sheetCode: Int, userInfo: [String: Any], callback: SheetCallback) {
        let reason = Self.reason(in: userInfo)
        switch (sheetCode, reason, callback) {
        case (1, nil, _):
            self.init(.givenUp)
        case (1, .some(let reason), .https(let host, _)):
            self.init(
                .invalidConfiguration,
                detail: """
                    the system did not show the page: \(reason) Add webcredentials:\(host) to the app's Associated Domains \
                    and the app's identifier to webcredentials in https://\(host)/.well-known/apple-app-site-association
                    """
            )
        case (1, .some(let reason), .customScheme):
            self.init(.invalidConfiguration, detail: "the system did not show the page: \(reason)")
        case (2, _, _), (3, _, _):
            self.init(
                .invalidConfiguration,
                detail: "the page cannot appear over this window. Use a window of the scene in the foreground"
            )
        default:
            return nil
        }
    }

    /// The system's explanation, from the failure or from the one underneath.
    ///
    /// A closed page has none.
    private static func reason(in userInfo: [String: Any]) -> String? {
        let texts = ["NSLocalizedFailureReason", "NSDebugDescription", "NSLocalizedDescription"].lazy
            .compactMap { userInfo[$0] as? String }
        if let text = texts.first(where: { !$0.isEmpty }) { return text }
        return (userInfo["NSUnderlyingError"] as? [String: Any]).map { self.reason(in: $0) ?? "another error." }
    }
}
