// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

extension GoogleAPIError: ErrorGuidance {
    /// Whether the API is only busy, or calls came too quickly.
    public var isRetryable: Bool {
        self.isRateLimited || [408, 500, 502, 503, 504].contains(self.httpStatus)
    }

    /// One line: what the API said.
    public var description: String {
        let name = self.reasonNames.first ?? self.status
        let words = self.message.map { ": " + UntrustedText.printable($0) } ?? ""
        let reason = name.map { ", " + UntrustedText.printable($0) } ?? ""
        return "The API refused the call (HTTP \(self.httpStatus)\(reason))\(words)"
    }

    /// An instruction for the user or the developer.
    public var recoverySuggestion: String? {
        if self.isInsufficientScope {
            let scopes = UntrustedText.printable(self.neededScopes.map(\.rawValue).joined(separator: " "))
            return "Ask the person for more scopes" + (scopes.isEmpty ? "." : ": " + scopes)
        }
        if self.isRetryable {
            return self.retryAfter.map { "Try again in \(Int64($0.rounded(.up))) seconds." }
                ?? "Wait a little and try again."
        }
        let names = self.reasonNames
        if names.contains(where: { ["accessNotConfigured", "SERVICE_DISABLED"].contains($0) }) {
            return "Enable this API for the client's project in Google's console, and try again some minutes later."
        }
        if names.contains(where: { ["dailyLimitExceeded", "quotaExceeded"].contains($0) }) {
            return "The quota is used up: wait until it is renewed, or ask for more in Google's console."
        }
        switch self.httpStatus {
        case 401: return "Sign in again if it stays so; the access may have been revoked."
        case 404: return "Check the identifier, and whether the granted scopes may see it."
        case 412: return "It was changed meanwhile: read it again, then change it."
        default: break
        }
        for case .help(let links) in self.details {
            if let link = links.first { return "See " + UntrustedText.printable(link.url) }
        }
        return "Check the call against the API's reference."
    }
}
