// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Nothing of TVUIKit is used, but sources ask whether it can be imported: developer.apple.com/documentation/tvuikit names the systems.
