/** `lacre openapi`: the description of the API. */

import { z } from "zod";
import { openApiDocument } from "../http/index.ts";
import { command } from "./command.ts";

export const openapiCommand = command({
  name: "openapi",
  summary: "prints the OpenAPI document",
  input: z.strictObject({}),
  async run(_, terminal) {
    terminal.print(JSON.stringify(openApiDocument(), null, 2));
  },
});
