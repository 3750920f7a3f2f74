/**
 * All that the schema consists of on SQLite, without a prefix, as a digest: a photograph, taken by
 * test/core/database/schema.test.ts (vitest -u retakes it). Only a file with another is compared thing by thing.
 */
export const DUE_DIGEST = "b7c9f7305fac594fa9d867b03e7f5506acff986590cfb84ed0a63e723a268385";
