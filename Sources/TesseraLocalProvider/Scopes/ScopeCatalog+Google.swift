// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
extension ScopeCatalog {
    /// Plain words for the scopes of Google's APIs that programs ask for most.
    static let google: [String: String] = {
        let named: [(String, String)] = [
            ("drive", "See, edit, create and delete all of your Drive files"),
            ("drive.readonly", "See and download all of your Drive files"),
            ("drive.file", "See, edit, create and delete only the Drive files that you use with this app"),
            ("drive.appdata", "See, create and delete this app’s own configuration data in your Drive"),
            ("drive.metadata", "See and change information about your Drive files"),
            ("drive.metadata.readonly", "See information about your Drive files"),
            ("calendar", "See, edit, share and permanently delete all of your calendars"),
            ("calendar.readonly", "See and download all of your calendars"),
            ("calendar.events", "See and edit the events on all of your calendars"),
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
            ("tasks", "Create, edit, organise and delete all of your tasks"),
            ("tasks.readonly", "See your tasks"),
            ("youtube", "Manage your YouTube account"),
            ("youtube.readonly", "See your YouTube account"),
            ("cloud-platform", "See, edit, configure and delete your cloud data"),
        ]
        var scopes = Dictionary(named.map { ("https://www.googleapis.com/auth/\($0.0)", $0.1) }) { first, _ in first }
        scopes[Self.mail] = "Read, compose, send and permanently delete all your email"
        scopes[Self.openID] = "Know who you are at this provider"
        scopes[Self.email] = "See your email address"
        scopes[Self.profile] = "See your name and picture"
        return scopes
    }()
}
#endif
