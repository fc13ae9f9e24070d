// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if !LocalProvider
/// A Google-like provider for demos, offline work and tests; it needs the package trait `LocalProvider`.
@available(*, unavailable, message: "Enable the package trait LocalProvider")
public enum LocalProvider {}

/// How a local provider is set up; it needs the package trait `LocalProvider`.
@available(*, unavailable, message: "Enable the package trait LocalProvider")
public enum LocalProviderOptions {}
#endif
