// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Modules for every file of the programs: system calls, locks, and the essential part of Foundation. All of
// Foundation costs start-up time on Linux.
#if canImport(Darwin)
@_exported public import Darwin
#elseif canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Musl)
@_exported public import Musl
#endif
#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
@_exported public import Synchronization
