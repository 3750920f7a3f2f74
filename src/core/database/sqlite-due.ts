/**
 * All that the schema consists of on SQLite, without a prefix, as a digest: a photograph, taken by
 * test/core/database/schema.test.ts (vitest -u retakes it). Only a file with another is compared thing by thing.
 */
export const DUE_DIGEST = "33d14df5ff6fddb4f0d8cc901965540430a6fed9dfd4983179ec3a72395b6406";
