/** The sheet of paper: A4 pages that take text, rules and pictures at a place given in points from the top left. */

/** A4, in points. */
export const PAGE = { width: 595.28, height: 841.89 } as const;

/** A way of writing. */
export interface Style {
  readonly font: "regular" | "bold";
  /** In points. */
  readonly size: number;
  /** `#rrggbb`. */
  readonly color: string;
}

/** Where a text stands: at the left end of `width`, or at its right one. */
export type Align = "left" | "right";

/** What is true of the file as a whole. */
export interface PaperInfo {
  readonly title: string;
  readonly author: string;
  /** BCP 47. */
  readonly lang: string;
  readonly created: Date;
}

/** Pages being drawn. */
export interface Paper {
  /** A new page, drawn on from here on. */
  addPage(): void;
  /** Draws on a page again; the first is 0. */
  turnTo(page: number): void;
  /** How many pages there are. */
  pages(): number;
  /** Puts the pages there are into the file; none of them is turned to again. */
  closePages(): void;
  /** How wide a text without line breaks is. */
  widthOf(text: string, style: Style): number;
  /** A text as lines no wider than `width`; never none. Words too long for a line are broken. */
  broken(text: string, style: Style, width: number): readonly string[];
  /** One line of text, its baseline at `y`. */
  write(line: string, x: number, y: number, style: Style): void;
  /** A large pale text across the page, rising to the right. */
  stamp(line: string, style: Style): void;
  rule(x: number, y: number, width: number, color: string, thickness: number): void;
  /** Dark squares of a grid whose top left corner is at `x`, `y`. */
  squares(side: number, isDark: (row: number, column: number) => boolean, x: number, y: number, size: number): void;
  /** A picture as large as fits the box, at its top left; gives the height it takes: 0 if it cannot be printed. */
  picture(bytes: Uint8Array, x: number, y: number, width: number, height: number): number;
  /** The finished file. */
  finish(): Promise<Uint8Array>;
}
