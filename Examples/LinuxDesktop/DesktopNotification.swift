// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation

/// A message to the user, printed in the terminal and shown as a desktop notification if there is a display.
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
