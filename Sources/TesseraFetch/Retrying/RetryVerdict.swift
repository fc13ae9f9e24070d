// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What a failed call comes to.
public enum RetryVerdict: Sendable, Hashable {
    /// It is the caller's.
    case final
    /// It is made again, after this time at the earliest.
    case again(notBefore: Duration = .zero)
}
