// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraLocalProvider

#if LocalProvider
if #available(macOS 14.0, iOS 17.0, tvOS 17.0, *) { print(LocalProvider.self) }
#endif
