/** The drawing surface: A4 pages that take text, rules and pictures. Positions are in points from the top left. */
import type { QrMatrix } from "./qr-matrix.ts";

/** A4, in points. */
export const PAGE = { width: 595.28, height: 841.89 } as const;

/** A text style. */
export interface Style {
  readonly font: "regular" | "bold";
  /** Font size in points. */
  readonly size: number;
  /** `#rrggbb`. */
  readonly color: string;
}

/** Whether a text is aligned to the left or the right end of its width. */
export type Align = "left" | "right";

/** The metadata of the file. */
export interface FileInfo {
  readonly title: string;
  readonly author: string;
  /** The language of the text, as a BCP 47 tag. */
  readonly lang: string;
  readonly created: Date;
}

/** A document being drawn, page by page. */
export interface Canvas {
  /** Adds a page and makes it the current one. */
  addPage(): void;
  /** Makes an earlier page the current one; the first is 0. */
  switchToPage(page: number): void;
  /** The number of pages so far. */
  pageCount(): number;
  /** Writes all pages so far to the file; none of them can be the current page again. */
  flushPages(): void;
  /** The width of a text without line breaks, in points. */
  widthOf(text: string, style: Style): number;
  /** Wraps a text into lines no wider than `width`, at least one. Words too long for a line are split. */
  wrap(text: string, style: Style, width: number): readonly string[];
  /** Writes one line of text with its baseline at `y`. */
  write(line: string, x: number, y: number, style: Style): void;
  /** Writes a large pale text diagonally across the page. */
  watermark(line: string, style: Style): void;
  /** Draws a horizontal line. */
  rule(x: number, y: number, width: number, color: string, thickness: number): void;
  /** Draws the dark modules of a QR code in a square of `size` points with its top left corner at `x`, `y`. */
  qrCode(matrix: QrMatrix, x: number, y: number, size: number): void;
  /** Draws a picture as large as the box allows, at its top left. Returns its height; 0 if it cannot be printed. */
  picture(bytes: Uint8Array, x: number, y: number, width: number, height: number): number;
  /** Ends the file and returns its bytes. */
  finish(): Promise<Uint8Array>;
}
