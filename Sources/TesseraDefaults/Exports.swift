// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// The stores that the defaults choose from, so that a program can name them without another import.
@_exported public import TesseraStores
