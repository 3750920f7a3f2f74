/**
 * All that the schema consists of on SQLite, without a prefix, as a digest: a photograph, taken by
 * test/core/database/schema.test.ts (vitest -u retakes it). Only a file with another is compared thing by thing.
 */
export const DUE_DIGEST = "34c31fa7c06d568c0301286c47b282d7ce60f62b881d6851c88964d9720141e8";
