// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

package import ArgumentParser
internal import TesseraConsole

/// The options for credentials without a user, which replace the session.
package struct CredentialOptions: ParsableArguments {
    @OptionGroup var source: CredentialSourceOptions
    @OptionGroup var delegation: DelegationOptions

    package init() {}

    /// Whether the command line names credentials.
    var isUsed: Bool { self.source.isUsed }

    /// Returns the credentials that the command line names, or nil to use a session, whose options cannot be used with
    /// credentials.
    package func choice(insteadOf account: AccountOptions? = nil) throws -> CredentialChoice? {
        try self.source.choice(as: self.delegation.subject, insteadOf: account)
    }

    /// Returns the credentials that the command line names, or those of the environment.
    func choiceOrDefault() throws -> CredentialChoice {
        try self.source.choiceOrDefault(as: self.delegation.subject)
    }
}

/// The options for credentials without the user on whose behalf they act.
package struct CredentialSourceOptions: ParsableArguments {
    @Flag(help: "Use Application Default Credentials.")
    var adc = false

    @Option(
        help: ArgumentHelp("Use a credential file, such as a key.", valueName: "file"),
        completion: .file(extensions: ["json"])
    )
    var credentials: String?

    @Option(help: ArgumentHelp("A scope for --adc or --credentials.", valueName: "scope"))
    var scope: [String] = []

    @Option(help: ArgumentHelp("Another server that credentials may be sent to.", valueName: "origin"))
    var trustedOrigin: [String] = []

    package init() {}

    package func validate() throws {
        if self.adc, self.credentials != nil {
            throw ValidationError("--adc and --credentials cannot be used together.")
        }
        if self.credentials?.isEmpty == true { throw ValidationError("--credentials requires the path of a file.") }
        try ScopeArgument.validate(self.scope, of: "--scope")
    }

    package var isUsed: Bool { self.adc || self.credentials != nil }

    /// Returns the credentials that the command line names, or nil to use a session, whose options cannot be used with
    /// credentials.
    package func choice(as subject: String?, insteadOf account: AccountOptions?) throws -> CredentialChoice? {
        guard self.isUsed else {
            let options = [
                (subject != nil, "--subject"), (!self.scope.isEmpty, "--scope"),
                (!self.trustedOrigin.isEmpty, "--trusted-origin"),
            ]
            guard let option = options.first(where: { $0.0 })?.1 else { return nil }
            throw CommandError.usage(
                "\(option) requires --adc or --credentials",
                "Add --adc or --credentials FILE."
            )
        }
        if account?.account != nil || account?.store.store != nil {
            let option = account?.account != nil ? "--account" : "--store"
            throw CommandError.usage(
                "\(option) cannot be used with --adc or --credentials",
                "Remove one of them."
            )
        }
        return try self.choiceOrDefault(as: subject)
    }

    /// Returns the credentials that the command line names, or those of the environment.
    func choiceOrDefault(as subject: String?) throws -> CredentialChoice {
        try CredentialChoice(
            self.credentials.map { .file($0) } ?? .search,
            subject: subject,
            scopes: self.scope,
            trustedOrigins: self.trustedOrigin
        )
    }
}

/// The option for the user on whose behalf a service account acts.
package struct DelegationOptions: ParsableArguments {
    @Option(
        name: [.customLong("subject"), .customLong("act-as")],
        help: ArgumentHelp("Act as this user (domain-wide delegation).", valueName: "user")
    )
    package var subject: String?

    package init() {}
}
