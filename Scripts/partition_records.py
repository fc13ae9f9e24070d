# SPDX-License-Identifier: Apache-2.0
# Copyright the Tessera authors
"""Decrypts the records that clients of Scripts/partitions save, to find out which tokens they contain.

The format is described in Sources/TesseraStores/Sealing/SealedRecord.swift.
"""
import ctypes
import ctypes.util
import hashlib
import json
import struct

# The name of OpenSSL's control that gets or sets the tag of AES-GCM.
EVP_CTRL_GCM_SET_TAG = 0x11


def _library():
    library = ctypes.CDLL(ctypes.util.find_library("crypto"))
    library.EVP_CIPHER_CTX_new.restype = ctypes.c_void_p
    library.EVP_aes_256_gcm.restype = ctypes.c_void_p
    for name in ("EVP_CIPHER_CTX_free", "EVP_DecryptInit_ex", "EVP_DecryptUpdate", "EVP_DecryptFinal_ex",
                 "EVP_CIPHER_CTX_ctrl"):
        getattr(library, name).argtypes = None
    return library


_crypto = _library()


def decrypt(key, nonce, associated, sealed):
    """Returns the plaintext of AES-256-GCM with a tag at the end and a nonce of 12 bytes."""
    text, tag = sealed[:-16], sealed[-16:]
    context = ctypes.c_void_p(_crypto.EVP_CIPHER_CTX_new())
    out, length = ctypes.create_string_buffer(len(text) + 16), ctypes.c_int(0)
    try:
        cipher = ctypes.c_void_p(_crypto.EVP_aes_256_gcm())
        ok = _crypto.EVP_DecryptInit_ex(context, cipher, None, key, nonce)
        ok &= _crypto.EVP_DecryptUpdate(context, None, ctypes.byref(length), associated, len(associated))
        ok &= _crypto.EVP_DecryptUpdate(context, out, ctypes.byref(length), text, len(text))
        written = length.value
        ok &= _crypto.EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, 16, tag)
        ok &= _crypto.EVP_DecryptFinal_ex(context, ctypes.byref(out, written), ctypes.byref(length))
    finally:
        _crypto.EVP_CIPHER_CTX_free(context)
    if ok != 1:
        raise ValueError("the record cannot be decrypted")
    return out.raw[:written]


def digest(sealed):
    return hashlib.sha256(sealed).hexdigest()[:16]


def contents(sealed, key_file):
    """Returns what a sealed record contains, as a dictionary for the history."""
    with open(key_file, "rb") as file:
        key = file.read()[-32:]
    magic, version, length = struct.unpack_from(">8sHI", sealed)
    if magic != b"TESSERA\n" or version != 2:
        raise ValueError("not a database record")
    end = 14 + length
    nonce = sealed[end - 12:end]
    plain = decrypt(key, nonce, sealed[:end + 8], sealed[end + 8:])
    record = json.loads(plain[1 + plain[0]:])
    tokens = record.get("tokens", {})
    return {
        "digest": digest(sealed), "generation": record["generation"], "mark": plain[0] > 0,
        "refresh": tokens.get("refreshToken"), "access": tokens.get("accessToken"),
        "ended": record["history"].get("endReason"),
    }
