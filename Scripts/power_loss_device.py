# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""A file that records every write and flush, so that a block device on top of it can be cut off at any moment.

The file is served through FUSE. A loop device passes the writes and flushes of its file system on to it.
"""
import ctypes
import os
import struct
import threading

SECTOR = 512
# Operations and flags of linux/fuse.h.
GETATTR, SETATTR, OPEN, READ, WRITE, RELEASE, FSYNC, FLUSH, INIT, INTERRUPT = 3, 4, 14, 15, 16, 18, 20, 25, 26, 36
FORGET, BATCH_FORGET, DESTROY = 2, 42, 38
BIG_WRITES, MAX_PAGES = 1 << 5, 1 << 22
ENOSYS = 38
REQUEST = struct.Struct("<IIQQ")
LARGEST_WRITE = 1 << 20
LIBC = ctypes.CDLL(None, use_errno=True)


def mount(source, target, kind, options):
    """Mounts a file system."""
    if LIBC.mount(source.encode(), str(target).encode(), kind.encode(), 0, options.encode()) != 0:
        error = ctypes.get_errno()
        raise OSError(error, f"mount {target}: {os.strerror(error)}")


class RecordedFile:
    """A mounted file with its contents in memory. `log` has an `(offset, bytes)` for each write and None for each flush."""

    def __init__(self, path, contents):
        self.log = []
        self._contents = bytearray(contents)
        self._fuse = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        path.touch()
        # With the root mode of a regular file, the file itself is the root of the file system.
        mount("power-loss", path, "fuse", f"fd={self._fuse},rootmode=100000,user_id=0,group_id=0")
        self._server = threading.Thread(target=self._serve, daemon=True)
        self._server.start()

    def close(self):
        """Ends the server after the file has been unmounted."""
        self._server.join(10)
        os.close(self._fuse)

    def _serve(self):
        # A single thread handles the requests in order. A flush therefore covers exactly the writes before it in the log.
        buffer = bytearray(LARGEST_WRITE + 4096)
        while True:
            try:
                length = os.readv(self._fuse, [buffer])
            except OSError:
                return
            _, operation, identifier, _ = REQUEST.unpack_from(buffer)
            if operation in (FORGET, BATCH_FORGET, INTERRUPT):
                continue
            error, reply = self._reply(operation, memoryview(buffer)[40:length])
            os.write(self._fuse, struct.pack("<IiQ", 16 + len(reply), -error, identifier) + reply)

    def _reply(self, operation, body):
        """Returns the error number and the reply to a request."""
        if operation == WRITE:
            _, offset, size = struct.unpack_from("<QQI", body)
            data = bytes(body[40:40 + size])
            self._contents[offset:offset + size] = data
            self.log.append((offset, data))
            return 0, struct.pack("<II", size, 0)
        if operation == FSYNC:
            self.log.append(None)
            return 0, b""
        if operation == READ:
            _, offset, size = struct.unpack_from("<QQI", body)
            return 0, bytes(self._contents[offset:offset + size])
        if operation == INIT:
            readahead = struct.unpack_from("<III", body)[2]
            return 0, struct.pack(
                "<4I2H2I2H32x", 7, 31, readahead, BIG_WRITES | MAX_PAGES, 16, 12, LARGEST_WRITE, 1,
                LARGEST_WRITE // 4096, 0
            )
        if operation in (GETATTR, SETATTR):
            size = len(self._contents)
            attributes = struct.pack("<6Q3I7I", 1, size, size // SECTOR, 0, 0, 0, 0, 0, 0, 0o100600, 1, 0, 0, 0, 4096, 0)
            return 0, struct.pack("<QII", 3600, 0, 0) + attributes
        if operation == OPEN:
            return 0, struct.pack("<QII", 0, 0, 0)
        if operation in (RELEASE, FLUSH, DESTROY):
            return 0, b""
        return ENOSYS, b""
