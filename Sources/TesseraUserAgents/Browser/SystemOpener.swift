// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(AppKit) && !targetEnvironment(macCatalyst)
internal import AppKit
#elseif canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The system's own way to open an address.
enum SystemOpener {
    #if canImport(Darwin)
    static let programs: [String] = []
    #else
    /// `xdg-open` everywhere, `wslview` where Linux runs in Windows.
    static let programs = ["xdg-open", "wslview"]
    #endif

    /// Without a display, `xdg-open` would start a text browser that nobody sees.
    static func isUsable(from terminal: RemoteTerminal) -> Bool { !self.programs.isEmpty && terminal.hasDisplay }

    /// Asks the app's framework, which works in a sandbox; false where there is none.
    static func openInApp(_ url: URL) async -> Bool {
        #if canImport(AppKit) && !targetEnvironment(macCatalyst)
        await MainActor.run { NSWorkspace.shared.open(url) }
        #else
        false
        #endif
    }
}
