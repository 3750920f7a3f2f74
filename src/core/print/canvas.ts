/** The page and the styles of its texts; pdf-canvas.ts draws on it. */

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
