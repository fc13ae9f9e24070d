// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(SwiftUI)
internal import SwiftUI

extension Color {
    init(_ color: ButtonColor) {
        self.init(.sRGB, red: color.red, green: color.green, blue: color.blue, opacity: 1)
    }
}
#endif
