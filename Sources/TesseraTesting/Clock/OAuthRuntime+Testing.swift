// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import TesseraOAuth

extension OAuthRuntime {
    /// A world in which nothing happens by itself: a scripted network, a clock moved by hand, known random bytes.
    public static func testing(
        transport: any HTTPTransport,
        clock: TestClock = TestClock(),
        randomBytes: SeededRandomBytes = SeededRandomBytes()
    ) -> OAuthRuntime {
        OAuthRuntime(
            transport: transport,
            now: clock.wallClock,
            uptime: clock.uptime,
            clock: clock,
            randomBytes: randomBytes.source
        )
    }
}
