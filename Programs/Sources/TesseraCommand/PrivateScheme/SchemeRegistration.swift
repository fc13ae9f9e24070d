// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraConsole
internal import TesseraUserAgents

/// Writes and removes the files that register one scheme.
///
/// Every call blocks.
struct SchemeRegistration: Sendable {
    let scheme: PrivateScheme
    let places: ApplicationDirectories

    private var path: String { "\(self.places.ownDirectory)/\(DesktopEntry.id(of: self.scheme))" }
    private var type: String { DesktopEntry.type(of: self.scheme) }

    /// Writes the entry and makes it the default.
    ///
    /// - Parameters:
    ///   - entry: The desktop entry to write.
    ///   - replacing: Whether to replace another program or command line.
    /// - Returns: The program that the desktop starts from now on.
    /// - Throws: ``CommandError`` if another program takes precedence or a file cannot be written.
    func register(_ entry: DesktopEntry, replacing: Bool) throws -> SchemeHandler {
        let before = try self.ownText()
        let exec = DesktopKeyFile(entry.text).value(of: "Exec", in: "Desktop Entry")
        if !replacing, let handler = SchemeHandler.find(for: self.scheme, in: self.places),
            !handler.isOurs || handler.exec != exec
        {
            throw CommandError(
                "occupied",
                "\(self.scheme.name) is already opened by \(handler.description)",
                handler.isOurs
                    ? "Use --replace to register this command line instead."
                    : "Use --replace to take precedence over it. --remove restores it."
            )
        }
        try DesktopFile.write(entry.text, to: self.path)
        do {
            try self.change { $0.prefer(DesktopEntry.id(of: self.scheme), for: self.type) }
        } catch {
            // Revert a partial registration.
            if let before { try? DesktopFile.write(before, to: self.path) } else { try? DesktopFile.remove(self.path) }
            throw error
        }
        guard let handler = SchemeHandler.find(for: self.scheme, in: self.places), handler.isOurs else {
            let other = SchemeHandler.find(for: self.scheme, in: self.places)
            throw CommandError(
                "occupied",
                "Registered, but another program takes precedence: \(other?.description ?? "unknown")",
                "Remove the line for \(self.type) from that file."
            )
        }
        return handler
    }

    /// Reverts the registration, and returns whether there was one.
    func remove() throws -> Bool {
        let existed = try self.ownText() != nil
        let wasSelected = try self.change { $0.remove(DesktopEntry.id(of: self.scheme), for: self.type) }
        try DesktopFile.remove(self.path)
        return existed || wasSelected
    }

    /// Returns the current contents of the entry, or nil if the file does not exist.
    private func ownText() throws -> String? {
        guard let text = try DesktopFile.read(self.path) else { return nil }
        guard DesktopEntry.isOurs(text, for: self.scheme) else {
            throw CommandError.usage(
                "\(self.path) was written by another program",
                "Move it elsewhere if it is not needed."
            )
        }
        return text
    }

    /// Edits the user's default programs, and removes the file if it becomes empty.
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
