// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraSupport

/// Random bytes that are the same in every run: each call gives other bytes, the same seed the same sequence.
///
/// For tests only; the sequence is SplitMix64's and anyone can continue it.
public final class SeededRandomBytes: Sendable {
    private let state: Mutex<UInt64>

    /// The sequence of a seed.
    public init(seed: UInt64 = 1) { self.state = Mutex(seed) }

    /// The next bytes of the sequence, in the shape that `OAuthRuntime` takes.
    public var source: @Sendable (_ count: Int) -> [UInt8] { { self.next($0) } }

    /// The next bytes of the sequence.
    public func next(_ count: Int) -> [UInt8] {
        self.state.withLock { state in
            (0..<max(0, count))
                .map { _ in
                    state &+= 0x9E37_79B9_7F4A_7C15
                    var mixed = state
                    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
                    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
                    return UInt8(truncatingIfNeeded: mixed ^ (mixed >> 31))
                }
        }
    }
}
