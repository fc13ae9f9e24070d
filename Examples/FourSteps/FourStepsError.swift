// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation

/// An error that stops the program.
enum FourStepsError: Error, LocalizedError {
    case driveUnticked
    case usage

    var errorDescription: String? {
        switch self {
        case .driveUnticked: "Access to Drive was not granted. Run the program again and allow it."
        case .usage: "usage: four-steps [--handlers] --client client_secret.json [--files URL]"
        }
    }
}
