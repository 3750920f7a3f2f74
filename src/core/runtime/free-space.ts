/** The free space on the database's disk. */

/** Returns the free bytes on the database's disk; undefined if unknown. May be called at any time. */
export type FreeBytes = () => number | undefined;

/** Room for weeks of a busy shop, and for the copies that SQLite makes when it rearranges data. */
const LOW_BYTES = 256 * 1024 * 1024;

/** The free bytes if they are so few that a person must make room; else undefined. */
export function lowSpace(free: FreeBytes): number | undefined {
  const bytes = free();
  return bytes !== undefined && bytes < LOW_BYTES ? bytes : undefined;
}
