// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms

/// An unprivileged user that root can run programs as.
enum AnotherUser {
    static let id = 65_534

    /// The reason why programs cannot be run as another user here, or nil.
    static let obstacle: String? =
        geteuid() == 0 ? ChildProgram.missing(["setpriv", "curl"]) : "only root can run programs as another user"

    static let isPossible = Self.obstacle == nil

    /// Runs a program as this user and returns its output and exit status.
    static func run(_ words: String...) async throws -> (output: String, status: Int32) {
        let (output, status) = try await ChildProgram.run(
            ["setpriv", "--reuid=\(Self.id)", "--regid=\(Self.id)", "--clear-groups"] + words
        )
        return (String(decoding: output, as: UTF8.self), status)
    }

    /// Sends a GET request and returns the status and the body.
    static func get(_ url: String) async throws -> (status: String, page: String) {
        let page = try await Self.run("curl", "--silent", "--noproxy", "*", "--write-out", "\n%{http_code}", url).output
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
        return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
    }

    /// Returns the command lines of all processes that this user can see.
    static func commandLines() async throws -> String {
        try await Self.run("sh", "-c", "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '").output
    }
}
