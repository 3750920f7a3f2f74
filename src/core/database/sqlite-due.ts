/**
 * All that the schema consists of on SQLite, without a prefix, as a digest: a photograph, taken by
 * test/core/database/schema.test.ts (vitest -u retakes it). Only a file with another is compared thing by thing.
 */
export const DUE_DIGEST = "d36605cd7a9334a3e7475aabba9400565cba4d64f2ce8b317b50862d5403a82c";
