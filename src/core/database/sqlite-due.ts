/**
 * All that the schema consists of on SQLite, without a prefix, as a digest: a photograph, taken by
 * test/core/database/schema.test.ts (vitest -u retakes it). Only a file with another is compared thing by thing.
 */
export const DUE_DIGEST = "235cd3e327e576654c8325ee8cb91a03f2564b93cfdbda4627c2c8970ecdd743";
