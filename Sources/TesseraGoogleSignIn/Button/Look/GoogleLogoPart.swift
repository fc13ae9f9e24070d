// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation

/// A part of the logo, in one colour.
struct GoogleLogoPart: Sendable, Hashable {
    let color: ButtonColor
    /// The outline in the logo's own square.
    let outline: [GoogleLogoElement]

    /// The outline of a logo that fills `frame`.
    func outline(in frame: CGRect) -> [GoogleLogoElement] { self.outline.map { $0.placed(in: frame) } }
}
