// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What a button in a page is.
public enum GoogleSignInButtonHTMLElement: Sendable, Hashable {
    /// A link: `<a href>`.
    case link
    /// A form that is posted, with hidden fields, such as a token against forged requests.
    case form(fields: [String: String] = [:])
}
