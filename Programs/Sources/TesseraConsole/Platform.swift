// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Modules for all files in the programs: system calls, locks and the essential part of Foundation. On Linux, the
// complete Foundation module would increase the start-up time.
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
