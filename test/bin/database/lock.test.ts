import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isLocked, lockOf, takeServerLock } from "../../../src/bin/database/lock.ts";
import { explained } from "../../../src/bin/explain.ts";

/** The name of a database in a directory of its own. */
function aName(): string {
  const directory = mkdtempSync(join(tmpdir(), "lacre-lock-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, "l.db");
}

/** What is said of the error that `work` throws. */
function said(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    const { message, exit, stack } = explained(error);
    expect(stack).toBeUndefined();
    return `${exit}: ${message}`;
  }
  return "nothing";
}

test("a lock is taken once, and again when it was released", () => {
  const database = aName();
  const release = takeServerLock(database);
  expect(isLocked(database)).toBe(true);
  expect(said(() => takeServerLock(database))).toContain("in_use: ");
  release();
  expect(isLocked(database)).toBe(false);
  takeServerLock(database)();
});

test("what somebody put in its place, a link too, is named as that", () => {
  const [database, other] = [aName(), aName()];
  writeFileSync(other, "not a lock\n");
  symlinkSync(other, lockOf(database));
  for (const work of [isLocked, takeServerLock]) {
    expect(said(() => work(database))).toBe(
      `unusable: ${lockOf(database)} is not Lacre's: no lock can be taken on it. Look what it is, and remove it.`,
    );
  }
});
