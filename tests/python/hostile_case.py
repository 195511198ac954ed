# SPDX-License-Identifier: Apache-2.0
"""One case of hostile_content.py: a command, the files it gets, and how it may end."""
REFUSED, TAKEN = (1, 2), (0,)
KILOBYTES = 700_000

CASES = []


class Case:
    def __init__(
        self,
        name,
        arguments,
        files=None,
        codes=REFUSED,
        before=None,
        says=None,
        torch=False,
        environment=None,
        shell=None,
        kilobytes=KILOBYTES,
        writes=(),
    ):
        self.name, self.arguments, self.files, self.codes, self.before = name, arguments, files or {}, codes, before
        self.says, self.torch, self.environment, self.shell = says, torch, environment or {}, shell
        self.kilobytes, self.writes = kilobytes, writes
        CASES.append(self)
