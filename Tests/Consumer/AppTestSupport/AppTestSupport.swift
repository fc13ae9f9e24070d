// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import TesseraTesting

/// The product that tests of apps use.
public enum AppTestSupport {
    /// One type of each product.
    public static let types: [Any.Type] = [ScriptedProvider.self]
}
