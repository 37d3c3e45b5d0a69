#!/usr/bin/python3
"""Reads every FOLDER/*.eml with Python's email package and compares it with the .json beside it.

Usage: read_mime.py FOLDER. Prints the differences, or how many were read as meant.
"""

import email
import email.policy
import json
import sys
from pathlib import Path


def part(message, subtype):
    for found in message.walk():
        if found.get_content_type() == f"text/{subtype}":
            return found.get_content().replace("\r\n", "\n")
    return None


def differences(raw, expected):
    for line in raw.split(b"\r\n"):
        if len(line) > 998:
            yield f"a line of {len(line)} bytes"
        if line.startswith(b"."):
            yield "a line begins with a dot"
        if b"\n" in line or b"\r" in line:
            yield "a bare line break"
    if any(byte > 0x7E or byte == 0 for byte in raw):
        yield "not ASCII"
    message = email.message_from_bytes(raw, policy=email.policy.SMTP)
    for found in message.walk():
        for defect in found.defects:
            yield f"defect {defect!r}"
    sender = message["From"].addresses[0]
    read = {
        "from_name": sender.display_name,
        "from_address": sender.addr_spec,
        "to": message["To"].addresses[0].addr_spec,
        "subject": str(message["Subject"]),
        "message_id": str(message["Message-ID"]),
        "date": int(message["Date"].datetime.timestamp()),
        "headers": {name: str(message[name]) for name in expected["headers"]},
    }
    for subtype, name in (("plain", "text"), ("html", "html")):
        content = part(message, subtype)
        if content is not None:
            read[name] = content
    for name in sorted(set(read) | set(expected)):
        if read.get(name) != expected.get(name):
            yield f"{name}: read {read.get(name)!r}, meant {expected.get(name)!r}"


def main():
    files = sorted(Path(sys.argv[1]).glob("*.eml"))
    bad = 0
    for path in files:
        expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        for difference in differences(path.read_bytes(), expected):
            print(f"{path.name}: {difference}")
            bad += 1
    if not bad:
        print(f"{len(files)} messages read as meant")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
