/** `lacre openapi`: the description of the API. */

import * as z from "zod";
import { openApiDocument } from "../http/index.ts";
import { command } from "./command.ts";
import { about, FLAGS } from "./config.ts";
import { STANDARD_OUTPUT, writeResult } from "./files.ts";

export const openapiCommand = command({
  name: "openapi",
  input: z.strictObject({
    out: FLAGS.out.default(STANDARD_OUTPUT).meta(about("written_to", { takes: "FILE" })),
    overwrite: FLAGS.overwrite,
    json: FLAGS.json,
  }),
  async run({ out, overwrite }, terminal) {
    const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
    await writeResult({ out, overwrite }, terminal, (write) => write(Buffer.from(text)));
  },
});
