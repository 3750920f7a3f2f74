/** The papers a document is printed on. */

/** A4, and the roll of a receipt printer, 80 mm wide. */
export const PAPERS = ["A4", "80mm"] as const;
/** One of `PAPERS`. */
export type Paper = (typeof PAPERS)[number];

/** The size of a sheet, in points. */
export interface SheetSize {
  readonly width: number;
  readonly height: number;
}

/** The difference between the sets of one print. */
export interface Copy {
  /** `Original`, `2.ª via`, … */
  readonly name: string;
  /** The mention that the law prescribes on this set alone. */
  readonly mention: string | null;
}

/** The one set of a paper that has no original. */
export const ONLY_SET: readonly Copy[] = [{ name: "", mention: null }];

/** A millimetre, in points. */
export const MM = 72 / 25.4;

export const A4: SheetSize = { width: 595.28, height: 841.89 };

/**
 * A roll of 80 mm: printers reach 72 mm of its width, in dots of 1/8 mm, and their drivers cut it after 3276 mm at the
 * latest.
 */
export const ROLL = { width: 80 * MM, printable: 72 * MM, dot: MM / 8, longest: 3276 * MM } as const;
