/** `lacre version`: the version of the program. */
import * as z from "zod";
import { VERSION } from "../core/version.ts";
import { command } from "./command.ts";
import { FLAGS } from "./config.ts";
import { show } from "./output.ts";

export const versionCommand = command({
  name: "version",
  input: z.strictObject({ json: FLAGS.json }),
  async run({ json }, terminal) {
    show(terminal, json, { version: VERSION }, [VERSION]);
  },
});
