import { describe, expect, test } from "vitest";
import { createTurns, type Turns } from "../../../src/core/runtime/turns.ts";
import { expectRefusal } from "../../support/refusals.ts";

/** Work that runs until it is told to end, and the order in which it began. */
function workshop() {
  const turnsOf = createTurns({ in: () => "Too many documents are waiting." });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const settled = async () => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return {
    begun,
    turns: (company: string): Turns => turnsOf(company, undefined),
    start(company: string, name: string, signal?: AbortSignal): Promise<string> {
      return turnsOf(company, signal).take(async () => {
        begun.push(name);
        await new Promise<void>((end) => ends.set(name, end));
        return name;
      });
    },
    async end(name: string) {
      ends.get(name)?.();
      await settled();
    },
    settled,
  };
}

describe("turns", () => {
  test("two run at once; the rest begin in order as others end", async () => {
    const { start, end, begun, settled } = workshop();
    const all = ["1", "2", "3", "4"].map((name) => start("a", name));
    await settled();
    expect(begun).toEqual(["1", "2"]);
    await end("2");
    expect(begun).toEqual(["1", "2", "3"]);
    for (const name of ["1", "3", "4"]) await end(name);
    expect(await Promise.all(all)).toEqual(["1", "2", "3", "4"]);
  });

  test("a company with a turn lets another go first", async () => {
    const { start, end, begun, settled } = workshop();
    for (const name of ["a1", "a2", "a3", "a4"]) void start("a", name);
    void start("b", "b1");
    await settled();
    await end("a1");
    expect(begun).toEqual(["a1", "a2", "b1"]);
    await end("b1");
    expect(begun).toEqual(["a1", "a2", "b1", "a3"]);
  });

  test("work that fails gives its turn back", async () => {
    const { start, begun, turns, settled } = workshop();
    const failing = () => turns("a").take(() => Promise.reject(new Error("torn paper")));
    for (let time = 0; time < 3; time++) await expect(failing()).rejects.toThrow("torn paper");
    void start("a", "1");
    void start("a", "2");
    await settled();
    expect(begun).toEqual(["1", "2"]);
  });

  test("a company may have a hundred waiting; one more is refused, another company's is not", async () => {
    const { start, turns, settled } = workshop();
    for (let at = 0; at < 102; at++) void start("a", String(at));
    await settled();
    await expectRefusal(start("a", "more"), "unavailable", "Too many documents");
    await expectRefusal((async () => turns("a").mustHaveRoom())(), "unavailable");
    expect(() => turns("b").mustHaveRoom()).not.toThrow();
  });

  test("a caller who leaves while waiting is skipped, and one who leaves before is not even queued", async () => {
    const { start, end, begun, settled } = workshop();
    for (const name of ["1", "2"]) void start("a", name);
    const leaving = new AbortController();
    const left = start("a", "left", leaving.signal);
    void start("a", "3");
    leaving.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    await expect(start("a", "late", leaving.signal)).rejects.toThrow("gone");
    await settled();
    for (const name of ["1", "2"]) await end(name);
    expect(begun).toEqual(["1", "2", "3"]);
  });
});
