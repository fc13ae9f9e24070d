// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms

/// A user without any right, as whom root can run programs.
enum OtherUser {
    /// Why no program can be run as another user here; nil where one can.
    static let obstacle: String? =
        geteuid() == 0
        ? ChildProgram.missing(["setpriv", "curl", "python3"])
        : "only root can run programs as another user"

    static let isPossible = Self.obstacle == nil

    /// The words before those of a program that shall run as this user.
    static let words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
}
