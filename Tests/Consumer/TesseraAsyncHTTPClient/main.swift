// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraAsyncHTTPClient

#if AsyncHTTPClient && !canImport(UIKit)
print(AsyncHTTPClientTransport.self)
#endif
