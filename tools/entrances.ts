// The entrances of the package: `exports` of package.json is the one place that lists them.

import packageJson from "../package.json" with { type: "json" };

/** The source file of each entrance, by the name it is imported under: `lacre/http` is src/http/index.ts. */
export const ENTRANCES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(packageJson.exports).map(([entrance, { default: built }]) => [
    entrance.replace(".", "lacre"),
    built.replace("./dist/", "src/").replace(/\.js$/, ".ts"),
  ]),
);
