/** What pdf-canvas.ts draws with: text styles. */

/** A text style. */
export interface Style {
  readonly font: "regular" | "bold";
  /** Font size in points. */
  readonly size: number;
  /** `#rrggbb`. */
  readonly color: string;
}

/** The distance from one baseline to the next, in points. */
export const lineHeight = ({ size }: Style): number => size * 1.36;

/** Whether a text is aligned to the left or the right end of its width. */
export type Align = "left" | "right";

/** Long work in steps: other work gets a turn after each. */
export type Steps = Generator<void, void, void>;
