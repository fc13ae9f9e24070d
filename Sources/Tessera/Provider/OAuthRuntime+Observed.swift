// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

public import Logging
public import TesseraOAuth

extension OAuthRuntime {
    /// The same world, in which every exchange leaves a span, a counter, a timer and a line at debug level.
    ///
    /// Spans and metrics are named `oauth.` and the exchange's name; an error is told by its kind alone. Nothing names a
    /// person or holds a secret. ``SignIn`` and ``GrantTokenSource`` do this by themselves, unless `OAuthRuntime.observer`
    /// is set; for a `RegisteredClient`, a `KeySetCache` and registrations it is the caller's choice.
    ///
    /// - Parameters:
    ///   - logger: where the lines go.
    ///   - issuer: named by exchanges that do not know whom they ask: for keys and metadata.
    /// - Returns: the runtime with an observer in place of the one it had.
    public func observed(logger: Logger = Logger(label: "tessera"), issuer: Issuer? = nil) -> OAuthRuntime {
        var runtime = self
        runtime.observer = ExchangeTrace(logger: logger, uptime: self.uptime, issuer: issuer)
        return runtime
    }
}
