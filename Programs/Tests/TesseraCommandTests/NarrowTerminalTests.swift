// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Foundation
internal import TestPrograms
internal import TestTraits
internal import Testing

@Suite("The status line on narrow terminals")
struct NarrowTerminalTests {
    /// Returns the last complete drawing of the status line, or nil if there is none.
    private static func lastDrawing(_ text: String) -> String? {
        let drawings = text.components(separatedBy: "\r\u{1B}[K")
        return drawings.count < 2 ? nil : drawings.last { $0.hasPrefix("Waiting") && $0.contains(" s") }
    }

    @Test("The status line fits a terminal of 20, 40 or 66 columns and adapts to resizing", .covers(146))
    func waiting() async throws {
        try await SmallProvider.play { scene, provider in
            let terminal = try PseudoTerminal(columns: 20)
            let child = try terminal.start(
                scene,
                [
                    "login", "--issuer", provider.issuer, "--client-id", "program", "--allow-loopback-http",
                    "--no-browser",
                ]
            )
            for columns in [20, 40, 66, 20] {
                terminal.resize(columns: UInt16(columns))
                // The first drawing may have started before the terminal was resized.
                for _ in 0..<2 { _ = await terminal.text { Self.lastDrawing($0) != nil } }
                let text = await terminal.text { Self.lastDrawing($0) != nil }
                let drawing = try #require(Self.lastDrawing(text), "\(text)")
                #expect(drawing.count < columns, "\(columns): \(drawing)")
                #expect(drawing.contains("finish in the browser") == (columns > 50), "\(columns): \(drawing)")
            }
            child.interrupt()
            #expect(await child.exitStatus == 130)
        }
    }
}
