/**
 * All that the schema consists of on SQLite, without a prefix, as a digest: a photograph, taken by
 * test/core/database/schema.test.ts (vitest -u retakes it). Only a file with another is compared thing by thing.
 */
export const DUE_DIGEST = "0e12b49b8b3d1a8060d512280c3e031d21452502d9efd015ef285576cb21f7a6";
