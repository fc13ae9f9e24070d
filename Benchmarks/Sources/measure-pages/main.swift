// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkSession

let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.dropFirst(2).compactMap { Int($0) }
let certificate = arguments.last { $0.hasSuffix(".pem") }
switch (arguments.first, numbers.count) {
case ("write", 1):
    try PagedListing.write(to: arguments[1], pages: numbers[0], isFull: arguments.last == "full")
case ("list", 1):
    try runBlocking { try await PagedListing(origin: arguments[1], pages: numbers[0], certificate: certificate).list() }
case ("compare", 2):
    try runBlocking {
        let listing = try await PagedListing(origin: arguments[1], pages: numbers[0], certificate: certificate)
        var (own, peer) = ([Cost](), [Cost]())
        for round in 0...numbers[1] {
            let isFirst = round.isMultiple(of: 2)
            let before = isFirst ? nil : try await Cost(of: listing.receive)
            let listed = try await Cost(of: listing.list)
            let received = if let before { before } else { try await Cost(of: listing.receive) }
            // The first round opens the connection.
            guard round > 0 else { continue }
            own.append(listed)
            peer.append(received)
        }
        let ratio = median(zip(own, peer).map { $0.milliseconds / $1.milliseconds })
        print(
            median(own.map(\.milliseconds)),
            median(peer.map(\.milliseconds)),
            median(own.map(\.processorMilliseconds)),
            median(peer.map(\.processorMilliseconds)),
            ratio
        )
    }
default:
    print(
        """
        usage: measure-pages write FOLDER PAGES [full]
                             | list ORIGIN PAGES [CERTIFICATE.pem] | compare ORIGIN PAGES ROUNDS [CERTIFICATE.pem]
        """
    )
}

/// The elapsed time and the processor time of an operation.
struct Cost {
    let milliseconds: Double
    let processorMilliseconds: Double

    init(of body: () async throws -> Void) async rethrows {
        let work = ProcessorTime.process
        let start = ContinuousClock.now
        try await body()
        self.milliseconds = (ContinuousClock.now - start) / .milliseconds(1)
        self.processorMilliseconds = (ProcessorTime.process - work) / 1_000_000
    }
}
