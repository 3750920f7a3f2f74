/**
 * All that the schema consists of on SQLite, without a prefix, as a digest: a photograph, taken by
 * test/core/database/schema.test.ts (vitest -u retakes it). Only a file with another is compared thing by thing.
 */
export const DUE_DIGEST = "e4e62fc3e91e7d95fcbb7f45f75cedbdee0b51917f8357462fdd0f059e5f258c";
