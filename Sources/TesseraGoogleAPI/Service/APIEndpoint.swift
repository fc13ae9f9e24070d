// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

/// Where an API is.
public struct APIEndpoint: Sendable, Hashable {
    /// Such as `drive`.
    public let name: String
    /// Such as `v3`.
    public let version: String
    /// Such as `https://www.googleapis.com/`.
    public let rootURL: String
    /// Such as `drive/v3/`; empty where the methods' paths have it.
    public let servicePath: String
    /// Such as `batch/drive/v3`.
    public let batchPath: String
    /// How many calls a batch may have.
    public let batchLimit: Int
    /// Whether answers stand in a member `data`.
    public let isDataWrapped: Bool

    /// An endpoint.
    public init(
        name: String,
        version: String,
        rootURL: String,
        servicePath: String,
        batchPath: String,
        batchLimit: Int = 100,
        isDataWrapped: Bool = false
    ) {
        self.name = name
        self.version = version
        self.rootURL = rootURL
        self.servicePath = servicePath
        self.batchPath = batchPath
        self.batchLimit = batchLimit
        self.isDataWrapped = isDataWrapped
    }
}
