// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What a passphrase is asked for.
public enum PassphrasePurpose: Sendable, Hashable {
    /// To open the key of a store that is there.
    case open
    /// To seal the key of a new store: whoever forgets it loses the sessions.
    case choose
}
