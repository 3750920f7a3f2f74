/** `lacre clock confirm`: accepts the clock although the latest document has a later time. */
import { z } from "zod";
import { command } from "./command.ts";
import { IN_COMPANY } from "./config.ts";
import { withCompany } from "./open-database.ts";
import { show } from "./output.ts";

export const clockCommand = command({
  name: "clock confirm",
  summary: "confirms that the clock is right although documents have later times",
  details: "While the clock is behind the latest document, nothing is issued until it catches up or you confirm it.",
  input: z.strictObject(IN_COMPANY),
  async run({ json, ...where }, terminal) {
    const confirmed = await withCompany(where, (lacre, company) => lacre.as(company).clock.confirm());
    const latest = confirmed.latest_issued_at ?? "none yet";
    show(terminal, json, confirmed, [
      `It is ${confirmed.now}; the latest document: ${latest}.`,
      "The clock is confirmed. A series with a document dated later than today takes none until that day: open another (lacre series create).",
    ]);
  },
});
