# SPDX-License-Identifier: Apache-2.0
"""Run folders of training: their numbers, and the report's own charts."""
from __future__ import annotations

import html
import json
import pathlib
import re
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from . import _native, checks
from .checks import Path
from .errors import Error
from .model import Model, load


def _frame(page: str, height: int) -> str:
    # A page of its own: its style and its script stay apart from the notebook's.
    return (f'<iframe srcdoc="{html.escape(page)}" sandbox="allow-scripts" '
            f'style="width:100%;height:{height}px;border:0"></iframe>')


class Plot:
    """A chart: shown by notebooks, or saved as SVG."""

    def __init__(self, figure: str) -> None:
        self._figure = figure

    @property
    def svg(self) -> str:
        """A drawing that stands alone."""
        found = re.search(r"<svg\b(.*?)>(.*)</svg>", self._figure, re.S)
        if found is None:
            raise Error("[report] expected a chart with a drawing, found none")
        style = f"<style>{_native.PAGE_STYLE}</style>"
        return f'<svg xmlns="http://www.w3.org/2000/svg"{found.group(1)}>{style}{found.group(2)}</svg>\n'

    def save(self, file: Path) -> None:
        """Writes the SVG to a new file."""
        with open(file, "x", encoding="utf-8") as out:
            out.write(self.svg)

    def _repr_html_(self) -> str:
        return _frame(f"<!DOCTYPE html><meta charset=utf-8><style>{_native.PAGE_STYLE}</style><main>{self._figure}</main>", 340)


class Run:
    """A run folder, which `adasample.train` or the program made; it may still be going.

    `metrics`, `result` and charts are read when they are asked for. Notebooks show the whole report.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = pathlib.Path(checks.path(folder, "folder"))
        _native.run_metrics(str(self.folder))  # complains now of what is no run folder

    @property
    def metrics(self) -> dict[str, tuple[NDArray[np.int64], NDArray[np.float64]]]:
        """Of each metric the iterations and the values."""
        return _native.run_metrics(str(self.folder))

    def _json(self, name: str) -> Optional[dict[str, Any]]:
        try:
            text = (self.folder / name).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        try:
            record: dict[str, Any] = json.loads(text)
        except ValueError as error:
            raise Error(f"{self.folder / name}: expected JSON, found {error}") from None
        return record

    @property
    def result(self) -> Optional[dict[str, Any]]:
        """How it ended, or None while it is going or when it was killed."""
        return self._json("result.json")

    @property
    def info(self) -> Optional[dict[str, Any]]:
        """Data, device and versions."""
        return self._json("run.json")

    def load(self, engine: str = "auto", best: bool = False) -> Model:
        """The model it trained; `best`: the weights that scored best on the validation store."""
        return load(self.folder / "best.safetensors" if best else self.folder, engine)

    def plot(self, metric: str = "loss", *others: Path) -> Plot:
        """A chart of one metric, with the same of other runs beside it."""
        return Plot(_native.run_figures([str(self.folder), *(checks.path(o, "others") for o in others)], checks.text(metric, "metric")))

    def _repr_html_(self) -> str:
        return _frame(_native.run_page(str(self.folder)), 720)

    def __repr__(self) -> str:
        return f"<adasample.Run {str(self.folder)!r}>"
