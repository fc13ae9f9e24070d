// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

import Foundation

/// Why the program stops before its end.
enum FourStepsError: Error, LocalizedError {
    case driveUnticked
    case usage

    var errorDescription: String? {
        switch self {
        case .driveUnticked: "You unticked Drive; there is nothing to list then."
        case .usage: "usage: four-steps [--handlers] --client client_secret.json [--files URL]"
        }
    }
}
