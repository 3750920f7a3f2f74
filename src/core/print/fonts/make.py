#!/usr/bin/python3
"""Makes noto-sans.ts from Debian's fonts-noto-core with fonttools: Latin, Greek, Cyrillic, no hinting, and a □."""

import base64
import textwrap
from itertools import groupby
from pathlib import Path

from fontTools import subset
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

SOURCE = "/usr/share/fonts/truetype/noto/NotoSans-{}.ttf"
BLOCKS = """
0020-007E 00A0-024F 0259 02B0-02FF 0300-036F 0370-03FF 0400-04FF 1E00-1FFF 2000-206F 2070-209F 20A0-20BF 2113 2116
2117 2120 2122 2126 2150-215F FB00-FB06
"""
BOX = 0x25A1


def code_points():
    for block in BLOCKS.split():
        first, _, last = block.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def add_box(font):
    """A hollow square as tall as a capital: what stands for a character the font lacks."""
    pen = TTGlyphPen(None)
    for low, high, clockwise in ((60, 654, True), (120, 594, False)):
        corners = [(low, low - 60), (low, high), (high, high), (high, low - 60)]
        if not clockwise:
            corners = [(low, low - 60), (high, low - 60), (high, high), (low, high)]
        pen.moveTo(corners[0])
        for corner in corners[1:]:
            pen.lineTo(corner)
        pen.closePath()
    font.setGlyphOrder(font.getGlyphOrder() + ["box"])
    font["glyf"]["box"] = pen.glyph()
    font["glyf"]["box"].recalcBounds(font["glyf"])
    font["hmtx"]["box"] = (714, 60)
    for table in font["cmap"].tables:
        if table.isUnicode():
            table.cmap[BOX] = "box"


def made(weight):
    options = subset.Options()
    options.hinting = False
    options.notdef_outline = True
    options.layout_features = ["kern", "ccmp", "locl"]
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]
    font = subset.load_font(SOURCE.format(weight), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=code_points())
    subsetter.subset(font)
    add_box(font)
    font.recalcTimestamp = False
    path = Path("/tmp") / f"lacre-{weight}.ttf"
    font.save(path)
    return path.read_bytes(), sorted(TTFont(path).getBestCmap())


def ranges(points):
    for _, run in groupby(enumerate(points), lambda pair: pair[1] - pair[0]):
        run = [point for _, point in run]
        yield f"[0x{run[0]:x}, 0x{run[-1]:x}]"


regular, covered = made("Regular")
bold, covered_bold = made("Bold")
assert covered == covered_bold
Path(__file__).with_name("noto-sans.ts").write_text(
    f"""/**
 * Noto Sans, cut to Latin, Greek and Cyrillic, unhinted, with a □ added. Made by `make.py` from Debian's
 * fonts-noto-core 20201225; the licence is `OFL.txt`. Bytes in a module, so that neither the library nor the
 * executable reads a file.
 */

/** The code points both weights have, as first and last of each run. */
export const COVERED: readonly (readonly [number, number])[] = [
{textwrap.fill(", ".join(ranges(covered)) + ",", 116, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)}
];

/** TrueType, base64. */
export const REGULAR: string = "{base64.b64encode(regular).decode()}";

/** TrueType, base64. */
export const BOLD: string = "{base64.b64encode(bold).decode()}";
"""
)
print(len(regular), len(bold), len(covered))
