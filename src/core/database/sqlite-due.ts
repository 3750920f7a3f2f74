/**
 * All that the schema consists of on SQLite, without a prefix, as a digest: a photograph, taken by
 * test/core/database/schema.test.ts (vitest -u retakes it). Only a file with another is compared thing by thing.
 */
export const DUE_DIGEST = "20984d40f1132dd27630be8754b61ceef9d254dcb89bf9de6cf111e3e37897e5";
