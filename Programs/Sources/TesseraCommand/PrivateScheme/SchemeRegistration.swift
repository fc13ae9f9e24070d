// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import TesseraUserAgents

/// The files that this command writes and removes for one scheme.
///
/// Every call blocks.
struct SchemeRegistration: Sendable {
    let scheme: PrivateScheme
    let places: ApplicationPlaces

    private var path: String { "\(self.places.ownDirectory)/\(DesktopEntry.id(of: self.scheme))" }
    private var type: String { DesktopEntry.type(of: self.scheme) }

    /// Writes the entry and selects it.
    ///
    /// - Parameters:
    ///   - entry: what is registered.
    ///   - replacing: whether another program, or another command line, may give way.
    /// - Returns: what the desktop starts from now on.
    /// - Throws: a mistake on the command line, where another program goes before it or a file cannot be written.
    func register(_ entry: DesktopEntry, replacing: Bool) throws -> SchemeHandler {
        let before = try self.ownText()
        let exec = KeyFile(entry.text).value(of: "Exec", in: "Desktop Entry")
        if !replacing, let handler = SchemeHandler.find(for: self.scheme, in: self.places),
            !handler.isOurs || handler.exec != exec
        {
            throw CommandError(
                "occupied",
                "\(self.scheme.name) is opened already by \(handler.description)",
                handler.isOurs
                    ? "Give --replace to register this command line in its place."
                    : "Give --replace to go before it; --remove brings it back."
            )
        }
        try DesktopFile.write(entry.text, to: self.path)
        do {
            try self.change { $0.prefer(DesktopEntry.id(of: self.scheme), for: self.type) }
        } catch {
            // A partial registration is reverted.
            if let before { try? DesktopFile.write(before, to: self.path) } else { try? DesktopFile.remove(self.path) }
            throw error
        }
        guard let handler = SchemeHandler.find(for: self.scheme, in: self.places), handler.isOurs else {
            let other = SchemeHandler.find(for: self.scheme, in: self.places)
            throw CommandError(
                "occupied",
                "Registered, but another program goes before it: \(other?.description ?? "unknown")",
                "Take the line with \(self.type) from that file."
            )
        }
        return handler
    }

    /// Takes back what was written; whether there was anything.
    func remove() throws -> Bool {
        let isThere = try self.ownText() != nil
        let isChosen = try self.change { $0.remove(DesktopEntry.id(of: self.scheme), for: self.type) }
        try DesktopFile.remove(self.path)
        return isThere || isChosen
    }

    /// The earlier contents, or nil if the file did not exist.
    private func ownText() throws -> String? {
        guard let text = try DesktopFile.read(self.path) else { return nil }
        guard DesktopEntry.isOurs(text, for: self.scheme) else {
            throw CommandError.usage(
                "\(self.path) was written by another program",
                "Move it away if it is not needed."
            )
        }
        return text
    }

    /// Edits the user's choices, and removes a file that becomes empty.
    @discardableResult
    private func change(_ edit: (inout DefaultPrograms) -> Void) throws -> Bool {
        let before = try DesktopFile.read(self.places.ownChoices)
        var choices = DefaultPrograms(before ?? "")
        edit(&choices)
        if choices.text == before ?? "" { return false }
        if choices.text.isEmpty {
            try DesktopFile.remove(self.places.ownChoices)
        } else {
            try DesktopFile.write(choices.text, to: self.places.ownChoices)
        }
        return true
    }
}
