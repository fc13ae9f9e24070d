// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms

/// An unprivileged user, as which root can run programs.
enum OtherUser {
    /// The reason why no program can be run as another user, or nil if it is possible.
    static let obstacle: String? =
        geteuid() == 0
        ? ChildProgram.missing(["setpriv", "curl", "python3"])
        : "only root can run programs as another user"

    static let isPossible = Self.obstacle == nil

    /// The command-line prefix that runs a program as this user.
    static let words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
}
