// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import GoogleDriveV3

print(DriveV3.self)
