/**
 * Where each door of the package is in src: tests, scripts and examples import "lacre" as its users do, without a
 * build.
 */
import packageJson from "../../package.json" with { type: "json" };

/** The source file of each door, by the name it is imported under: `lacre/http` is src/http/index.ts. */
export const SOURCES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(packageJson.exports).map(([door, { default: built }]) => [
    door.replace(".", "lacre"),
    built.replace("./dist/", "src/").replace(/\.js$/, ".ts"),
  ]),
);
