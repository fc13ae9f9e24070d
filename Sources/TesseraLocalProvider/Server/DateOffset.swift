// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if LocalProvider
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// Gives answers another `Date` than the server's: a test switch.
///
/// The server writes the field after everything else, so it is changed on the way out.
final class DateOffset: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let seconds: @Sendable () -> Int

    init(_ seconds: @escaping @Sendable () -> Int) { self.seconds = seconds }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = self.unwrapOutboundIn(data), self.seconds() != 0 else {
            return context.write(data, promise: promise)
        }
        let time = Date().timeIntervalSince1970 + Double(self.seconds())
        head.headerFields[.date] = HTTPDate.text(secondsSince1970: time)
        context.write(self.wrapOutboundOut(.head(head)), promise: promise)
    }
}
#endif
