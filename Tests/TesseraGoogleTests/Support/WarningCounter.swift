// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import Logging
internal import TesseraSupport

/// A log handler that counts warnings.
final class WarningCounter: LogHandler {
    private let number = Mutex(0)
    var count: Int { self.number.withLock { $0 } }

    func log(event: LogEvent) {
        if event.level == .warning { self.number.withLock { $0 += 1 } }
    }

    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
}
