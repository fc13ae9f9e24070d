// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// swift-format-ignore-file

// Every Apple system that has UIKit's controls has this framework, and the watch has neither. Nothing of it is called.
//
// Source: https://developer.apple.com/documentation/quartzcore
