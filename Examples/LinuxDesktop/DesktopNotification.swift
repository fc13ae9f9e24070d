// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation

/// A word to the person, by the desktop where it can show one, else in the terminal.
enum DesktopNotification {
    static func show(_ title: String, _ text: String) {
        print("\(title): \(text)")
        guard ProcessInfo.processInfo.environment["DISPLAY"] != nil else { return }
        let notify = Process()
        notify.executableURL = URL(filePath: "/usr/bin/notify-send")
        notify.arguments = [title, text]
        try? notify.run()
    }
}
