// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What a sign-out at the provider asks for.
public struct EndSessionOptions: Sendable {
    /// Who signs out, where the session has no ID token.
    public var logoutHint: String?
    /// Languages of the provider's pages.
    public var uiLocales: [String]
    /// More parameters of the request.
    public var additionalParameters: [String: String]
    /// What the last page calls the program.
    public var applicationName: String?
    /// How long the person may take.
    public var timeout: Duration

    /// Options; one minute for the person by default.
    public init(
        logoutHint: String? = nil,
        uiLocales: [String] = [],
        additionalParameters: [String: String] = [:],
        applicationName: String? = nil,
        timeout: Duration = .seconds(60)
    ) {
        self.logoutHint = logoutHint
        self.uiLocales = uiLocales
        self.additionalParameters = additionalParameters
        self.applicationName = applicationName
        self.timeout = timeout
    }
}
