import { defineConfig } from "vitest/config";

// `source` lets tests import "lacre", "lacre/http" … from src, without a build.
const conditions = ["source", "node", "module", "import", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["source", "node", "import", "default"] } },
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks", // A native addon lives best in a process of its own.
    testTimeout: 30_000,
  },
});
