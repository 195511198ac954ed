# SPDX-License-Identifier: Apache-2.0
"""Reads a TensorBoard event file and prints it as JSON: an independent reader for a test, from the formats' own words
(TFRecord framing with masked CRC-32C; protobuf's wire format; event.proto, summary.proto). Fails on anything odd."""
import json
import struct
import sys


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    at = 0
    while at < len(data):
        head = data[at:at + 8]
        (length,), (check,) = struct.unpack("<Q", head), struct.unpack("<I", data[at + 8:at + 12])
        assert check == masked(head), "length's crc"
        body = data[at + 12:at + 12 + length]
        assert len(body) == length, "cut off"
        assert struct.unpack("<I", data[at + 12 + length:at + 16 + length])[0] == masked(body), "data's crc"
        yield body
        at += 16 + length


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        field, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value, at = struct.unpack("<d", data[at:at + 8])[0], at + 8
        elif wire == 5:
            value, at = struct.unpack("<f", data[at:at + 4])[0], at + 4
        elif wire == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            assert len(value) == size
        else:
            raise ValueError("wire type %d" % wire)
        yield field, value


def event(body):
    result = {"step": 0, "scalars": {}, "images": {}}
    for field, value in fields(body):
        if field == 1:
            result["wall_time"] = value
        elif field == 2:
            result["step"] = value
        elif field == 3:
            result["version"] = value.decode()
        elif field == 5:
            for _, one in fields(value):
                parts = dict(fields(one))
                tag = parts[1].decode()
                if 2 in parts:
                    result["scalars"][tag] = repr(parts[2])
                else:
                    image = dict(fields(parts[4]))
                    png = image[4]
                    assert png[:8] == b"\x89PNG\r\n\x1a\n"
                    size = struct.unpack(">II", png[16:24])
                    assert size == (image[2], image[1]), "the PNG's own size"
                    result["images"][tag] = {"width": image[2], "height": image[1], "channels": image[3]}
        else:
            raise ValueError("field %d of an event" % field)
    return result


print(json.dumps([event(body) for body in records(open(sys.argv[1], "rb").read())]))
