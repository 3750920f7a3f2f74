/** `lacre clock`: the operator's word on what time it is. */
import { z } from "zod";
import { command } from "./command.ts";
import { FLAGS } from "./config.ts";
import { withCompany } from "./open-database.ts";
import { show } from "./output.ts";

export const clockCommand = command({
  name: "clock confirm",
  summary: "says that the clock is right although documents carry later times",
  details:
    "While the clock is behind the latest document, issuing waits until it catches up or this is said. Recorded.",
  input: z.strictObject({ company: FLAGS.company, db: FLAGS.db, json: FLAGS.json }),
  async run({ json, ...where }, shell) {
    const confirmed = await withCompany(where, (lacre, company) => lacre.as(company).clock.confirm());
    const latest = confirmed.latest_issued_at ?? "none yet";
    show(shell, json, confirmed, [`It is ${confirmed.now}; the latest document: ${latest}.`]);
  },
});
