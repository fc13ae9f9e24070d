// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// The standard library's `Mutex` is available on every supported version of these systems.
#if !canImport(Darwin)
@_exported public import Synchronization
#endif

// FoundationEssentials is sufficient on Linux. Foundation would slow down startup and add 40 MB.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif

// System calls, which Foundation exports on Apple platforms.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Android)
@_exported public import Android
#endif
