/** What walks over everything: `lacre verify` and `lacre saft` as processes, timed with their memory. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openInMemory } from "lacre/testing";
import { median } from "./measure.ts";
import type { Seeded } from "./seed.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const LOOK_MS = 25;

/** A command that ran to its end. */
export interface Walk {
  readonly seconds: number;
  readonly documents_per_second: number;
  /** The most memory that was resident at once. */
  readonly peak_bytes: number;
}

export async function verifyWalk({ file, documents }: Seeded): Promise<Walk> {
  return walk(["verify", "--db", file], documents);
}

export async function exportWalk({ file, documents }: Seeded): Promise<Walk> {
  const out = `${file}.xml`;
  rmSync(out, { force: true });
  const year = String(new Date().getUTCFullYear());
  const done = await walk(["saft", "--db", file, "--year", year, "--out", out], documents);
  rmSync(out);
  return done;
}

/** How long an instance in memory takes to open once the code is warm, in milliseconds. */
export async function openingMs(): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 30; i++) {
    const began = performance.now();
    const { lacre } = await openInMemory();
    times.push(performance.now() - began);
    await lacre.close();
  }
  return median(times.slice(10));
}

async function walk(args: readonly string[], documents: number): Promise<Walk> {
  const began = performance.now();
  const child = spawn(process.execPath, ["--max-semi-space-size=8", "--v8-pool-size=2", "src/bin/main.ts", ...args], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
  let peak_bytes = 0;
  const look = setInterval(() => {
    peak_bytes = Math.max(peak_bytes, peakOf(child.pid as number));
  }, LOOK_MS);
  const [code] = await once(child, "exit");
  clearInterval(look);
  if (code !== 0) throw new Error(`lacre ${args.join(" ")} ended with ${code}.`);
  const seconds = (performance.now() - began) / 1_000;
  return { seconds, documents_per_second: documents / seconds, peak_bytes };
}

/** What Linux remembers as the most that was resident; 0 once the process is gone. */
function peakOf(pid: number): number {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
