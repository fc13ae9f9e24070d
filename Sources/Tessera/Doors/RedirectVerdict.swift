// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// What a redirect turned out to be.
public enum RedirectVerdict<Value: Sendable>: Sendable {
    /// Not an answer to this attempt: the reason, for a log; the wait goes on. Nothing of the redirect is in the reason.
    case notOurs(String)
    /// The answer; `page` is what the person sees at the end.
    case accepted(Value, page: CompletionPage)
}
