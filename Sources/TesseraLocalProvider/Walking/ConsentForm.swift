// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// The form of one of the local provider's pages, read from its HTML.
struct ConsentForm {
    struct Account {
        let subject: String
        let email: String
    }

    let action: String
    let attempt: String
    let accounts: [Account]
    let scopes: [String]

    /// Reads a page; nil where it has no form.
    init?(_ page: String) {
        guard let action = Self.texts(between: "action=\"", and: "\"", in: page).first,
            let attempt = Self.texts(between: "name=\"attempt\" value=\"", and: "\"", in: page).first
        else { return nil }
        self.action = action
        self.attempt = attempt
        self.scopes = Self.texts(between: "name=\"scope\" value=\"", and: "\"", in: page)
        self.accounts = Self.texts(between: "name=\"account\" ", and: "</button>", in: page)
            .compactMap { choice in
                guard let subject = Self.texts(between: "value=\"", and: "\"", in: choice).first,
                    let email = Self.texts(between: "<span class=\"soft\">", and: "<", in: choice).first
                else { return nil }
                return Account(subject: subject, email: email)
            }
    }

    /// What a page is headed with, and the sentence below.
    static func heading(of page: String) -> String {
        let texts =
            Self.texts(between: "<h1>", and: "</h1>", in: page)
            + Self.texts(between: "<p class=\"lead\">", and: "</p>", in: page)
        return texts.joined(separator: ": ")
    }

    /// Every text between two marks.
    ///
    /// The values on these pages need no unescaping but for `&amp;`.
    private static func texts(between start: String, and end: String, in page: String) -> [String] {
        page.split(separator: start, omittingEmptySubsequences: false).dropFirst()
            .compactMap { rest in
                rest.firstRange(of: end).map { String(rest[..<$0.lowerBound]).replacing("&amp;", with: "&") }
            }
    }
}
#endif
