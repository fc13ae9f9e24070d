// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraCurl

#if canImport(Glibc) || canImport(Musl)
print(CurlTransport.self)
#endif
