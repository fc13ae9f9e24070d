// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// A fast path for `tessera token` with credentials, which parses the arguments without the argument parser.
///
/// As with ``PlainTokenCall``, the parser would take longer than everything else except the request.
/// `Benchmarks/compare --only credentials` measures it.
struct PlainCredentialCall {
    private var source: CredentialChoice.Source?
    private var subject: String?
    private var audience: String?
    private var scopes: [String] = []
    private var trustedOrigins: [String] = []
    private var header = false

    /// Parses `token --credentials FILE`, or `token --adc`, with the options for credentials and `--header`.
    ///
    /// Returns nil for anything else, including errors, which ``TokenCommand`` reports.
    init?(_ arguments: ArraySlice<String>) {
        guard arguments.first == "token" else { return nil }
        var rest = arguments.dropFirst()
        while let word = rest.popFirst() {
            switch word {
            case "--header": self.header = true
            case "--adc":
                guard self.source == nil else { return nil }
                self.source = .search
            default:
                guard let value = rest.popFirst(), !value.hasPrefix("-"), self.read(value, of: word) else { return nil }
            }
        }
        guard self.source != nil else { return nil }
    }

    /// Saves the value of an option, and returns whether the value is plausible and the option is known.
    private mutating func read(_ value: String, of option: String) -> Bool {
        guard value.contains(where: { !$0.isWhitespace }) else { return false }
        switch option {
        case "--credentials":
            guard self.source == nil else { return false }
            self.source = .file(value)
        case "--subject", "--act-as": self.subject = value
        case "--audience": self.audience = value
        case "--scope": self.scopes.append(value)
        case "--trusted-origin": self.trustedOrigins.append(value)
        default: return false
        }
        return true
    }

    /// Returns the call, or nil if there is no source.
    func token() throws -> CredentialToken? {
        guard let source else { return nil }
        return CredentialToken(
            choice: try CredentialChoice(
                source,
                subject: self.subject,
                scopes: self.scopes,
                trustedOrigins: self.trustedOrigins
            ),
            audience: self.audience,
            printsHeader: self.header,
            printsJSON: false
        )
    }
}
