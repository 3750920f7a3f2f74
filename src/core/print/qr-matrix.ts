/** The QR code as the tax authority requires it: UTF-8 bytes, error correction level M, version 9 or later. */
import qrcode from "qrcode-generator";
import { MM } from "./paper.ts";

/** The smallest version allowed, and the modules on each of its sides. */
const MIN_VERSION = 9;
const MIN_SIDE = 17 + 4 * MIN_VERSION;

/** A square of `side` × `side` modules without the quiet zone; rows and columns count from 0 at the top left. */
export interface QrMatrix {
  readonly side: number;
  readonly isDark: (row: number, column: number) => boolean;
}

/** The smallest module that a scanner still reads at 150 dots per inch, in points. */
const MIN_MODULE = 0.56 * MM;
const MIN_SIZE = 30 * MM;

/** The printed side of a code with such modules, in points: at least 30 mm. */
export const qrSize = ({ side }: QrMatrix, module = MIN_MODULE): number => Math.max(MIN_SIZE, side * module);

/** Encodes a text of at most 2,331 bytes. Throws for a longer one; Lacre's texts have a few hundred. */
export function qrMatrix(text: string): QrMatrix {
  const fitting = encode(text, 0);
  const code = fitting.getModuleCount() < MIN_SIDE ? encode(text, MIN_VERSION) : fitting;
  return { side: code.getModuleCount(), isDark: (row, column) => code.isDark(row, column) };
}

function encode(text: string, version: 0 | typeof MIN_VERSION) {
  const code = qrcode(version, "M");
  // The encoder takes the low byte of each UTF-16 unit, so each byte of the text is passed as one unit.
  code.addData(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""), "Byte");
  code.make();
  return code;
}
