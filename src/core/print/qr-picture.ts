/** The QR code as the tax authority asks for it: bytes of UTF-8, correction level M, version 9 or later. */
import qrcode from "qrcode-generator";

/** The smallest version allowed, and the modules on its side. */
const LEAST_VERSION = 9;
const LEAST_SIDE = 17 + 4 * LEAST_VERSION;

/** A square of modules without its margin; `isDark` takes row and column from the top left. */
export interface QrPicture {
  readonly side: number;
  readonly isDark: (row: number, column: number) => boolean;
}

/** The code for a text of at most 2,331 bytes. Throws for a longer one: a QR text of Lacre has a few hundred. */
export function qrPicture(text: string): QrPicture {
  const fitting = encoded(text, 0);
  const code = fitting.getModuleCount() < LEAST_SIDE ? encoded(text, LEAST_VERSION) : fitting;
  return { side: code.getModuleCount(), isDark: (row, column) => code.isDark(row, column) };
}

function encoded(text: string, version: 0 | typeof LEAST_VERSION) {
  const code = qrcode(version, "M");
  // The encoder takes the low byte of each unit, so it is given the bytes of the text as units.
  code.addData(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""), "Byte");
  code.make();
  return code;
}
