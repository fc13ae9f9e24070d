// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Where the standard library's `Mutex` is available on every supported system version, it is the lock.
#if !canImport(Darwin)
@_exported public import Synchronization
#endif

// On Linux the small part of Foundation is enough: the whole of it costs start-up time and 40 MB.
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif

// The system's calls, which Foundation exports on Apple platforms.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#elseif canImport(Android)
@_exported public import Android
#endif
