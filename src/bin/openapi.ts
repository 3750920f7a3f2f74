/** `lacre openapi`: the description of the API. */

import { z } from "zod";
import { openApiDocument } from "../http/index.ts";
import { command } from "./command.ts";
import { FLAGS } from "./config.ts";
import { STANDARD_OUTPUT, writeResult } from "./files.ts";

export const openapiCommand = command({
  name: "openapi",
  summary: "prints the OpenAPI document, or writes it to a file",
  details: "The document is JSON with and without --json, which makes errors JSON too.",
  input: z.strictObject({
    out: FLAGS.out.default(STANDARD_OUTPUT).meta({ takes: "FILE", description: "where to write it" }),
    overwrite: FLAGS.overwrite,
    json: FLAGS.json,
  }),
  async run({ out, overwrite }, terminal) {
    const text = `${JSON.stringify(openApiDocument(), null, 2)}\n`;
    await writeResult({ out, overwrite }, terminal, (write) => write(Buffer.from(text)));
  },
});
