// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Where the standard library's `Mutex` is available on every supported system version, it is the lock.
#if !canImport(Darwin)
@_exported public import Synchronization
#endif
