// SPDX-License-Identifier: Apache-2.0
// Copyright the Tessera authors

internal import CTesseraSecretService
internal import Tessera

/// A connection to the service, closed when the value's life ends; used by one thread at a time.
struct SecretServiceConnection: ~Copyable {
    private let service: OpaquePointer

    init(library: String, limits: SecretService.Limits) throws(StoreError) {
        var failure = tessera_secret_failure()
        let service = tessera_secret_connect(
            library,
            Self.milliseconds(limits.call),
            limits.prompt.map { Self.milliseconds($0) } ?? 0,
            &failure
        )
        guard let service else { throw StoreError(failure) }
        self.service = service
    }

    deinit { tessera_secret_disconnect(self.service) }

    /// Every item that has these attributes; none is locked.
    func items(_ attributes: SecretServiceAttributes, withValues: Bool) throws(StoreError) -> [SecretServiceItem] {
        var failure = tessera_secret_failure()
        var items: [SecretServiceItem] = []
        let isDone = attributes.withCStrings { attributes in
            SecretServiceItem.withCNames { names in
                withUnsafeMutablePointer(to: &items) { items in
                    tessera_secret_search(
                        self.service,
                        attributes,
                        names,
                        withValues,
                        { context, attributes, value, length in
                            let items = context?.assumingMemoryBound(to: [SecretServiceItem].self)
                            let bytes = UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : length)
                            items?.pointee.append(SecretServiceItem(attributes, Array(bytes)))
                        },
                        items,
                        &failure
                    )
                }
            }
        }
        guard isDone else { throw StoreError(failure) }
        return items
    }

    /// Gives the item with these attributes this value; makes it where there is none.
    ///
    /// Every other item that has the attributes of `key` is removed; by default they are the same.
    func store(
        _ value: [UInt8],
        as attributes: SecretServiceAttributes,
        key: SecretServiceAttributes? = nil,
        label: String
    ) throws(StoreError) {
        var failure = tessera_secret_failure()
        let isDone = (key ?? attributes)
            .withCStrings { key in
                attributes.withCStrings { attributes in
                    value.withUnsafeBytes { value in
                        tessera_secret_store(
                            self.service,
                            key,
                            attributes,
                            label,
                            value.baseAddress?.assumingMemoryBound(to: CChar.self),
                            value.count,
                            &failure
                        )
                    }
                }
            }
        guard isDone else { throw StoreError(failure) }
    }

    /// Removes every item that has these attributes.
    func remove(_ attributes: SecretServiceAttributes) throws(StoreError) {
        var failure = tessera_secret_failure()
        let isDone = attributes.withCStrings { tessera_secret_remove(self.service, $0, &failure) }
        guard isDone else { throw StoreError(failure) }
    }

    private static func milliseconds(_ duration: Duration) -> UInt32 {
        UInt32(clamping: max(1, Int64((duration / .milliseconds(1)).rounded())))
    }
}
