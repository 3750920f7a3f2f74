/**
 * All that the schema consists of on SQLite, without a prefix, as a digest: a photograph, taken by
 * test/core/database/schema.test.ts (vitest -u retakes it). Only a file with another is compared thing by thing.
 */
export const DUE_DIGEST = "6e1221a1a9d19fc443e3aefaaeb98507bda2d161f859977fcec364fc35c70acc";
