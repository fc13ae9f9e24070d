// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkDocuments
internal import BenchmarkSession
internal import Foundation
internal import GoogleDriveV3
internal import TesseraJSON

// measure-models page PATH: writes a page of 1,000 files. measure-models list PAGES: lists the given number of pages of
// 1,000 files. measure-models compare ROUNDS: prints the time to read a page in milliseconds for each method.
let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "page", let path = arguments.dropFirst().first {
    try Data(FileList.page(files: 1_000)).write(to: URL(fileURLWithPath: path))
} else if arguments.first == "list", let pages = arguments.dropFirst().first.flatMap({ Int($0) }) {
    try runBlocking { try await Listing.run(pages: pages) }
} else {
    try ModelComparison.run(rounds: arguments.dropFirst().first.flatMap { Int($0) } ?? 31)
}
