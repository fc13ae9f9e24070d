// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import TesseraLocalProvider

/// A real proxy of a company's kind, as `Scripts/intercepting-proxy` starts it.
struct InterceptingProxy: Decodable, Sendable {
    let host: String
    let port: Int
    /// The file of its own certificate authority.
    let authority: String
    private let journal: String

    static let missing = ChildProgram.missing(["mitmdump", "python3", "ip"]) ?? LoopbackNamespace.missing

    /// Runs `body` beside one that trusts a scene's provider.
    static func run(
        for scene: Scene,
        _ options: String...,
        body: (InterceptingProxy) async throws -> Void
    ) async throws {
        let authority = scene.provider.certificateAuthorityFile ?? ""
        try await ProviderScript(name: "intercepting-proxy").with(options + ["--trust", authority], body)
    }

    /// What `HTTPS_PROXY` says.
    func url(credentials: String = "") -> String { "http://\(credentials)\(self.host):\(self.port)" }

    /// A line for each connection that it made, and for each request that it could read.
    func lines() throws -> [Substring] {
        try String(contentsOfFile: self.journal, encoding: .utf8).split(separator: "\n")
    }
}
