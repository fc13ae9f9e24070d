// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

#if GRPC
internal import GRPCCore

/// The coding of messages as UTF-8.
struct TextCoding: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: String) -> Bytes { Bytes(message.utf8) }

    func deserialize<Bytes: GRPCContiguousBytes>(_ serializedMessageBytes: Bytes) -> String {
        serializedMessageBytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}
#endif
