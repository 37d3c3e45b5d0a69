"""Rules for every file."""

import re

LEFTOVERS = ("FIXME", "XXX", "TODO")
LEFTOVER = re.compile(rf"\b({'|'.join(LEFTOVERS)})\b")
MACHINE_FOLDERS = ("/work/", "/home/", "/root/", "/Users/")
MACHINE_PATH = re.compile(rf"(?<![\w.$}}\-])({'|'.join(MACHINE_FOLDERS)})\w")


def no_leftovers(source):
    for line, _ in source.find(LEFTOVER, LEFTOVERS):
        yield line, "a leftover: do it, or write an issue and remove the mark"


def no_machine_paths(source):
    for line, _ in source.find(MACHINE_PATH, MACHINE_FOLDERS):
        yield line, "the path of a machine: make it relative, or an option"


RULES = (no_leftovers, no_machine_paths)
