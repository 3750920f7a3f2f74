/** The way of thousands of documents from a file to a server and back. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LacreDialect, openLacre } from "lacre";
import { expect, onTestFinished, test } from "vitest";
import { seeded } from "../../bench/seed.ts";
import { atScale } from "../../durability/scale.ts";
import { archiveOf, linesOf, readArchive, taxFilesOf, verifiedOf } from "../../support/archives.ts";
import { dropped, HAS_SERVER, POSTGRES, schemaOf } from "../../support/databases.ts";
import { DRIVERS, type Driver } from "../../support/drivers.ts";
import { aFile } from "../../support/instance.ts";

const [BETTER, NODE] = DRIVERS as [Driver, Driver];
const COUNT = atScale(2_500, 10_000);

test(`${COUNT} documents go ${HAS_SERVER ? "to PostgreSQL" : "to another file"} and back, equal to the byte`, async () => {
  const directory = mkdtempSync(join(tmpdir(), "lacre-test-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const { file } = await seeded(directory, COUNT);
  const between = aFile();
  if (HAS_SERVER) onTestFinished(() => dropped(schemaOf(between)));
  const places = [BETTER.dialect(file), (HAS_SERVER ? POSTGRES : NODE).dialect(between), BETTER.dialect(aFile())];
  const [source, there, back] = places as [LacreDialect, LacreDialect, LacreDialect];

  const seconds: string[] = [];
  const timed = async <T>(name: string, work: Promise<T>): Promise<T> => {
    const from = performance.now();
    const value = await work;
    seconds.push(`${name} ${((performance.now() - from) / 1000).toFixed(1)} s`);
    return value;
  };
  const first = await timed("archive", archiveOf(source));
  expect((await timed("unarchive there", readArchive(first, there))).documents).toBe(COUNT);
  const second = await timed("archive there", archiveOf(there));
  expect((await timed("unarchive", readArchive(second, back))).documents).toBe(COUNT);
  const third = await archiveOf(back);
  console.log(`${COUNT} documents, ${first.length} bytes: ${seconds.join(", ")}`);

  // What a restore does not touch is the same line by line.
  const ofRows = (archive: Buffer) =>
    linesOf(archive).filter(
      (line) => !/^\{"(?:lacre_archive|installation|companies|series|events|head|rows)"/.test(line),
    );
  expect(ofRows(second)).toEqual(ofRows(first));
  expect(ofRows(third)).toEqual(ofRows(first));
  expect(ofRows(first).length).toBeGreaterThan(6 * COUNT);

  const now = () => new Date("2027-01-15T10:00:00Z");
  const states = [];
  for (const dialect of [source, there, back]) {
    const lacre = await openLacre({ dialect, now, migrate: false });
    const [{ id } = { id: "" }] = await lacre.companies.list();
    const { data } = await lacre.as(id).documents.list({ limit: 1 });
    const year = String(data[0]?.issue_date).slice(0, 4);
    const months = Array.from({ length: 12 }, (_, i) => `${year}-${String(i + 1).padStart(2, "0")}`);
    states.push({ verified: await verifiedOf(lacre), files: await taxFilesOf(lacre, months) });
    await lacre.close();
  }
  expect(states[0]?.verified.reports[0]).toMatchObject({ whole: true, documents: COUNT });
  expect(states[1]).toEqual(states[0]);
  expect(states[2]).toEqual(states[0]);
});
