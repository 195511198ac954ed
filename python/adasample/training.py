# SPDX-License-Identifier: Apache-2.0
"""Training by the program `adasample`, which brings LibTorch along: a child process, so that the torch of this process,
whatever its version, and the program's never meet. Its run folder is what `adasample train` makes."""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
from typing import Any, Callable, Iterator, Optional, Sequence, Union

from . import checks
from .checks import Path
from .errors import Error, UsageError
from .runs import Run
from .store import Store

Callback = Callable[[dict[str, Any]], object]

_USAGE, _STOPPED = 2, 130  # exit codes of the program
_SECONDS_BETWEEN_LOOKS = 0.1
_SECONDS_TO_SAVE = 90


def program() -> str:
    """The program that trains: ADASAMPLE_PROGRAM, else `adasample` on PATH. Raises `adasample.Error` where there is none."""
    named = os.environ.get("ADASAMPLE_PROGRAM")
    found = shutil.which(named or "adasample")
    if found is None:
        looked = f"ADASAMPLE_PROGRAM={named}" if named else "no `adasample` on PATH"
        raise Error(f"training needs the program adasample, which has LibTorch; expected it, found {looked} - install the Debian package "
                    "adasample, or build it (make all) and name it by ADASAMPLE_PROGRAM=build/release/bin/adasample")
    return found


def _words(name: str, value: Any) -> list[str]:
    flag = "--" + {"lam": "lambda"}.get(name, name).replace("_", "-")
    if value is None:
        return []
    if value is True:
        return [flag]
    if value is False:
        return ["--no-flips"] if name == "flips" else [flag + "=false"]
    if isinstance(value, (list, tuple)):
        return [word for item in value for word in _words(name, item)]
    return [flag, os.fspath(value) if isinstance(value, (str, os.PathLike)) else repr(value)]


class _NewLines:
    """Lines that a run appends to its metrics. A resumed run first takes the file back to its checkpoint: what stays of the
    old file is not new."""

    def __init__(self, file: pathlib.Path) -> None:
        self._file = file
        self._old: Optional[bytes] = file.read_bytes() if file.exists() else b""
        self._at = 0

    def _skip_old(self, now: bytes) -> bool:
        if self._old is None:
            return True
        if now == self._old and self._old:
            return False  # not begun
        common = len(os.path.commonprefix([self._old, now]))
        self._at = now.rfind(b"\n", 0, common) + 1
        self._old = None
        return True

    def read(self) -> Iterator[dict[str, Any]]:
        try:
            now = self._file.read_bytes() if self._old is not None else b""
            if not self._skip_old(now):
                return
            with open(self._file, "rb") as file:
                file.seek(self._at)
                text = file.read()
        except FileNotFoundError:
            return
        whole = text.rfind(b"\n") + 1
        self._at += whole
        for line in text[:whole].splitlines():
            yield json.loads(line)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.replace("\r", "\n").splitlines() if line.strip()]
    return lines[-1].removeprefix("adasample: ") if lines else "it said nothing"


def _end(child: "subprocess.Popen[bytes]") -> None:
    """Asks the program to save and stop, and waits."""
    if child.poll() is None:
        child.send_signal(signal.SIGINT)
    try:
        child.wait(_SECONDS_TO_SAVE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def train(data: Union[Path, Store, Sequence[Union[Path, Store]], None], out: Path, *, callback: Optional[Callback] = None,
          resume: bool = False, **options: Any) -> Run:
    """Trains as `adasample train` does, and returns the run.

    data: one patch store or several. out: the run folder to make, or with resume to continue (data may then be None).
    options: the program's, with underscores: epochs=1, pairs=200000, val="heldout", lam=5 (--lambda), seed=1, device="cuda",
    config="a.toml", flips=False, init="default", ..

    callback is called with each iteration's numbers, {"iteration": 12, "loss": 0.93, ..}, and with {"iteration", "val_score"}
    after an evaluation. What it returns, if true, stops the run: a checkpoint is saved, and resume=True continues it later. So
    does Ctrl-C. With a callback metrics are read after every iteration (log_every=1) unless options say otherwise.
    """
    stores = [] if data is None else list(data) if isinstance(data, (list, tuple)) else [data]
    folder = checks.path(out, "out")
    words = [program(), "train", "--out", folder]
    for store in stores:
        if not isinstance(store, (str, os.PathLike, Store)):
            raise UsageError(f"data: expected patch stores, found {type(store).__name__}")
        words += ["--data", store.folder if isinstance(store, Store) else checks.path(store, "data")]
    if not stores and not resume and "config" not in options:
        raise UsageError("data: expected a patch store, found none")
    if callback is not None and not resume:
        options.setdefault("log_every", 1)
    for name, value in options.items():
        words += _words(name, value)
    if resume:
        words.append("--resume")
    checks.callback(callback, "callback")
    lines = _NewLines(pathlib.Path(folder) / "metrics.jsonl")
    stopped = False

    def report() -> bool:
        for record in lines.read():
            if callback is not None and callback(record):
                return True
        return False

    with tempfile.TemporaryFile() as said:
        # A session of its own: Ctrl-C reaches this process alone, which passes it on once.
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True)
        try:
            while True:
                try:
                    child.wait(_SECONDS_BETWEEN_LOOKS)
                except subprocess.TimeoutExpired:
                    pass
                ended = child.poll() is not None
                if not stopped and report():
                    stopped = True
                    _end(child)
                if ended or stopped:
                    break
        except BaseException:
            _end(child)
            raise
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    if child.returncode == 0 or (child.returncode == _STOPPED and stopped):
        return Run(folder)
    kind = UsageError if child.returncode == _USAGE else Error
    raise kind(_last_line(text))
