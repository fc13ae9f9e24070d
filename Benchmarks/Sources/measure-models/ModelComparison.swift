// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import BenchmarkDocuments
internal import BenchmarkSession
internal import Foundation
internal import GoogleDriveV3
internal import TesseraJSON

/// Compares the objects of a page of 1,000 files with Foundation's decoder and structs with the same members.
///
/// The objects are measured twice: parsing only, and with access to every member.
enum ModelComparison {
    static func run(rounds: Int) throws {
        let page = FileList.page(files: 1_000)
        let data = Data(page)
        var times: [String: [Double]] = [:]
        for round in 0...rounds {
            let figures = [
                ("decode", try Self.milliseconds { try Self.decoded(page).files?.count ?? 0 }),
                ("read", try Self.milliseconds { Self.sum(try Self.decoded(page)) }),
                (
                    "jsondecoder",
                    try Self.milliseconds { try JSONDecoder().decode(DecodedPage.self, from: data).files.count }
                ),
            ]
            guard round > 0 else { continue }
            for (name, time) in figures { times[name, default: []].append(time) }
        }
        for (name, times) in times.sorted(by: { $0.key < $1.key }) { print(name, median(times)) }
    }

    private static func decoded(_ page: [UInt8]) throws -> DriveV3.FileList {
        try DriveV3.FileList.received(try JSONValue(parsing: page))
    }

    private static func milliseconds(_ body: () throws -> Int) throws -> Double {
        let start = ProcessorTime.thread
        guard try body() > 0 else { throw CocoaError(.coderInvalidValue) }
        return (ProcessorTime.thread - start) / 1e6
    }

    /// Accesses every member.
    private static func sum(_ page: DriveV3.FileList) -> Int {
        var sum = 0
        for file in page.files ?? [] {
            sum += [file.kind, file.id, file.name, file.mimeType, file.webViewLink, file.iconLink, file.md5Checksum]
                .reduce(0) { $0 + ($1?.utf8.count ?? 0) }
            sum += file.starred == true ? 1 : 0
            sum += file.trashed == true ? 1 : 0
            sum += file.parents?.count ?? 0
            sum += Int(file.version ?? 0) + Int(file.size ?? 0)
            sum += Int((file.createdTime?.seconds ?? 0) - (file.modifiedTime?.seconds ?? 0))
            for owner in file.owners ?? [] {
                sum += [owner.kind, owner.displayName, owner.permissionId, owner.emailAddress]
                    .reduce(0) { $0 + ($1?.utf8.count ?? 0) }
                sum += owner.me == true ? 1 : 0
            }
            if let can = file.capabilities {
                sum += [can.canEdit, can.canCopy, can.canComment, can.canDownload, can.canShare].count { $0 == true }
            }
            if let image = file.imageMediaMetadata {
                sum += (image.width ?? 0) + (image.height ?? 0) + Int((image.exposureTime ?? 0) * 1_000)
            }
        }
        return sum
    }
}
