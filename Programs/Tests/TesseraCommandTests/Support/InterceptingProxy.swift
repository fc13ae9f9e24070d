// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import TesseraLocalProvider

/// An intercepting proxy like those in corporate networks, started by `Scripts/intercepting-proxy`.
struct InterceptingProxy: Decodable, Sendable {
    let host: String
    let port: Int
    /// The path of the proxy's certificate authority.
    let authority: String
    private let journal: String

    static let missing = ChildProgram.missing(["mitmdump", "python3", "ip"]) ?? LoopbackNamespace.missing

    /// Runs `body` with a proxy that trusts the scene's provider.
    static func run(
        for scene: Scene,
        _ options: String...,
        body: (InterceptingProxy) async throws -> Void
    ) async throws {
        let authority = scene.provider.certificateAuthorityFile ?? ""
        try await ProviderScript(name: "intercepting-proxy").with(options + ["--trust", authority], body)
    }

    /// Returns the value for `HTTPS_PROXY`.
    func url(credentials: String = "") -> String { "http://\(credentials)\(self.host):\(self.port)" }

    /// Returns a line for each connection of the proxy and each request that it was able to read.
    func lines() throws -> [Substring] {
        try String(contentsOfFile: self.journal, encoding: .utf8).split(separator: "\n")
    }
}
