// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// swift-format-ignore-file

// Of the Apple systems with UIKit, those that have a browser have this framework; the television and the watch do not.
// Nothing of it is called.
//
// Source: https://developer.apple.com/documentation/webkit
