// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
internal import AppKit
#elseif canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Opens addresses with the system's default browser.
enum SystemOpener {
    #if canImport(Darwin)
    static let programs: [String] = []
    #else
    /// `xdg-open` on all systems, and `wslview` on Linux running in Windows.
    static let programs = ["xdg-open", "wslview"]
    #endif

    /// Whether the programs can be used.
    ///
    /// Without a display, `xdg-open` would start a text browser that the user cannot see.
    static func isUsable(from terminal: RemoteTerminal) -> Bool { !self.programs.isEmpty && terminal.hasDisplay }

    /// Opens an address with AppKit, which also works in a sandbox.
    ///
    /// Returns false if AppKit is not available.
    static func openInApp(_ url: URL) async -> Bool {
        #if canImport(AppKit) && !targetEnvironment(macCatalyst)
        await MainActor.run { NSWorkspace.shared.open(url) }
        #else
        false
        #endif
    }
}
