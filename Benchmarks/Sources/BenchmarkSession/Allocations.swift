// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if canImport(Glibc)
internal import Glibc
#endif

/// The allocation counter of `native/count_allocations.c`, which must be preloaded.
public enum Allocations {
    private static let counter: (@convention(c) () -> UInt64)? = {
        #if canImport(Glibc)
        guard let symbol = dlsym(nil, "tessera_allocation_count") else { return nil }
        return unsafeBitCast(symbol, to: (@convention(c) () -> UInt64).self)
        #else
        return nil
        #endif
    }()

    /// The number of allocations of this thread so far, or nil if the counter is not preloaded.
    public static var count: UInt64? { self.counter?() }
}
