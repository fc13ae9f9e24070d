// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
/// The scopes that the provider supports, with their aliases and the descriptions shown on the consent page.
struct ScopeCatalog: Sendable {
    private static let auth = "https://www.googleapis.com/auth/"
    static let openID = "openid"
    static let email = Self.auth + "userinfo.email"
    static let profile = Self.auth + "userinfo.profile"
    static let cloudPlatform = Self.auth + "cloud-platform"
    static let drive = Self.auth + "drive"
    static let driveReadonly = Self.auth + "drive.readonly"
    static let driveFile = Self.auth + "drive.file"
    static let driveApplicationData = Self.auth + "drive.appdata"
    static let driveMetadata = Self.auth + "drive.metadata"
    static let driveMetadataReadonly = Self.auth + "drive.metadata.readonly"
    /// The scopes that apply to all of an account's files.
    static let wholeDrive = [Self.drive, Self.driveReadonly, Self.driveMetadata, Self.driveMetadataReadonly]
    /// The scope for full access to Gmail, including permanent deletion.
    static let mail = "https://mail.google.com/"
    static let gmailModify = Self.auth + "gmail.modify"
    static let gmailReadonly = Self.auth + "gmail.readonly"
    static let gmailMetadata = Self.auth + "gmail.metadata"
    static let gmailCompose = Self.auth + "gmail.compose"
    static let gmailSend = Self.auth + "gmail.send"
    static let gmailInsert = Self.auth + "gmail.insert"
    static let gmailLabels = Self.auth + "gmail.labels"

    static let calendar = Self.auth + "calendar"
    static let calendarReadonly = Self.auth + "calendar.readonly"
    static let calendarEvents = Self.auth + "calendar.events"
    static let calendarEventsReadonly = Self.auth + "calendar.events.readonly"
    static let calendarEventsOwned = Self.auth + "calendar.events.owned"
    static let calendarEventsOwnedReadonly = Self.auth + "calendar.events.owned.readonly"
    static let calendarList = Self.auth + "calendar.calendarlist"
    static let calendarListReadonly = Self.auth + "calendar.calendarlist.readonly"

    private let descriptions: [String: String]

    init(additional: [String: String] = [:]) { self.descriptions = Self.google.merging(additional) { _, own in own } }

    /// Returns a scope's canonical name, which Google uses in responses.
    static func canonical(_ scope: String) -> String { ["email": Self.email, "profile": Self.profile][scope] ?? scope }

    /// Returns the canonical names of the scopes in a list, without duplicates.
    ///
    /// As with Google, `email` and `profile` imply `openid`.
    static func canonical(list text: String) -> [String] {
        var seen: Set<String> = []
        var scopes = text.split(separator: " ").map { Self.canonical(String($0)) }.filter { seen.insert($0).inserted }
        if !seen.isDisjoint(with: [Self.email, Self.profile]), !seen.contains(Self.openID) {
            scopes.append(Self.openID)
        }
        return scopes
    }

    /// Returns whether a scope is part of signing in and therefore has no checkbox.
    static func isSignIn(_ scope: String) -> Bool { [Self.openID, Self.email, Self.profile].contains(scope) }

    /// Returns the description shown on the consent page, or `nil` if the scope is unknown.
    func description(of scope: String) -> String? { self.descriptions[scope] }

    /// Descriptions of the most common scopes for Google's APIs.
    static let google: [String: String] = {
        let named = [
            ("drive", "See, edit, create and delete all of your Drive files"),
            ("drive.readonly", "See and download all of your Drive files"),
            ("drive.file", "See, edit, create and delete only the Drive files that you use with this app"),
            ("drive.appdata", "See, create and delete this app’s own configuration data in your Drive"),
            ("drive.metadata", "See and change information about your Drive files"),
            ("drive.metadata.readonly", "See information about your Drive files"),
            ("calendar", "See, edit, share and permanently delete all of your calendars"),
            ("calendar.readonly", "See and download all of your calendars"),
            ("calendar.events", "See and edit the events on all of your calendars"),
            ("calendar.events.readonly", "See the events on all of your calendars"),
            ("calendar.events.owned", "See, create, change and delete events on calendars that you own"),
            ("calendar.events.owned.readonly", "See the events on calendars that you own"),
            ("calendar.calendarlist", "See, add and remove calendars that you are subscribed to"),
            ("calendar.calendarlist.readonly", "See the list of calendars that you are subscribed to"),
            ("gmail.readonly", "See your email messages and settings"),
            ("gmail.send", "Send email on your behalf"),
            ("gmail.modify", "Read, compose and send email"),
            ("gmail.metadata", "See your email message metadata such as labels and headers, but not the email body"),
            ("gmail.compose", "Manage drafts and send email"),
            ("gmail.insert", "Add email to your mailbox"),
            ("gmail.labels", "See and edit your email labels"),
            ("contacts", "See, edit, download and permanently delete your contacts"),
            ("contacts.readonly", "See and download your contacts"),
            ("documents", "See, edit, create and delete all of your documents"),
            ("spreadsheets", "See, edit, create and delete all of your spreadsheets"),
            ("spreadsheets.readonly", "See all of your spreadsheets"),
            ("tasks", "Create, edit, organize and delete all of your tasks"),
            ("tasks.readonly", "See your tasks"),
            ("youtube", "Manage your YouTube account"),
            ("youtube.readonly", "See your YouTube account"),
            ("cloud-platform", "See, edit, configure and delete your cloud data"),
        ]
        .map { (Self.auth + $0.0, $0.1) }
        let others = [
            (Self.mail, "Read, compose, send and permanently delete all your email"),
            (Self.openID, "Know who you are at this provider"), (Self.email, "See your email address"),
            (Self.profile, "See your name and picture"),
        ]
        return Dictionary(named + others) { first, _ in first }
    }()
}
#endif
