// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

#if canImport(CoreGraphics)
internal import CoreGraphics
#endif

/// A part of the logo, in one colour.
struct GoogleLogoPart: Sendable, Equatable {
    let color: ButtonColor
    /// The outline in the logo's own square.
    let outline: [GoogleLogoElement]

    /// The outline of a logo that fills `frame`.
    func outline(in frame: CGRect) -> [GoogleLogoElement] { self.outline.map { $0.placed(in: frame) } }
}
