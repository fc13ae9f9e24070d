// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

// Most requests throw this error, so that callers need it without TesseraJOSE.
@_exported public import struct TesseraJOSE.ProtocolViolationError
