/** The room that is left on the disk of the database. */

/** Asked at any time: the free bytes on the disk of the database; undefined where nobody knows. */
export type FreeBytes = () => number | undefined;

/** Room for weeks of a busy shop, and for the copies that SQLite makes of what it rearranges. */
const LOW_BYTES = 256 * 1024 * 1024;

/** The free bytes where they are so few that a person must make room; else undefined. */
export function lowSpace(free: FreeBytes): number | undefined {
  const bytes = free();
  return bytes !== undefined && bytes < LOW_BYTES ? bytes : undefined;
}
