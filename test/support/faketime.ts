/** The clock of a program, faked from outside it. */
import { spawnSync } from "node:child_process";

/** The library that fakes a program's wall clock (Debian: faketime); undefined when it is not installed. */
export const FAKER = spawnSync("faketime", ["-m", "-f", "+0", "printenv", "LD_PRELOAD"], {
  encoding: "utf8",
}).stdout?.trim();
