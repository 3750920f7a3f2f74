import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { differenceBetween, mustAgree } from "./agree.ts";
import { makeFloorDatabase } from "./floor-database.ts";
import { SCENARIOS } from "./scenarios.ts";
import { seeded } from "./seed.ts";
import { startFloor, startLacre } from "./servers.ts";

test("the benchmark's floor answers, logs and records what Lacre does, to the byte", async () => {
  const directory = mkdtempSync(`${tmpdir()}/lacre-agree-`);
  const seed = await seeded(directory, 60);
  const [ours, theirs] = [`${seed.file}.lacre`, `${seed.file}.floor`];
  copyFileSync(seed.file, ours);
  makeFloorDatabase(seed.file, theirs);
  const sides = await Promise.all([startLacre(ours), startFloor(theirs, "group")]);
  try {
    const said = await mustAgree(SCENARIOS, sides, seed);

    const head = said.find((text) => text.startsWith("200 GET /v1/customers/"));
    expect(head).toContain("\nx-content-type-options: nosniff\n");
    expect(said.filter((text) => text.includes('"route":"/v1/customers/:id"'))).toHaveLength(2);
    expect(said.filter((text) => text.includes('"action":"document.issued"'))).toHaveLength(2);
    // the control: one header less, or one more event, is a difference
    const short = said.map((text) => text.replace("x-content-type-options: nosniff\n", ""));
    expect(differenceBetween(said, short)).toContain("nosniff");
    expect(differenceBetween(said, [...said, "one more"])).toBeDefined();
    // and so is another customer
    const before = said.map((text) => text.replace("Ana", "Eva"));
    expect(differenceBetween(said, before)).toContain("Eva");
  } finally {
    await Promise.all(sides.map((side) => side.stop()));
    rmSync(directory, { recursive: true });
  }
});
