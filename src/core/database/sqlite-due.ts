/**
 * All that the schema consists of on SQLite, without a prefix, as a digest: a photograph, taken by
 * test/core/database/schema.test.ts (vitest -u retakes it). Only a file with another is compared thing by thing.
 */
export const DUE_DIGEST = "132c04fef57924e78172c2f597488879c91dedd212165d525990f870f6e5f5aa";
