/** `lacre clock confirm`: accepts a clock that is behind the latest document, or long after it. */
import * as z from "zod";
import { command } from "./command.ts";
import { IN_COMPANY } from "./config.ts";
import { withCompany } from "./database/open.ts";
import { show } from "./output.ts";

export const clockCommand = command({
  name: "clock confirm",
  input: z.strictObject(IN_COMPANY),
  async run({ json, ...where }, terminal) {
    const confirmed = await withCompany(where, (lacre, company) => lacre.as(company).clock.confirm());
    const { clock: t } = terminal.texts;
    const { now, latest_issued_at: latest } = confirmed;
    show(terminal, json, confirmed, [latest === null ? t.now_first({ now }) : t.now({ now, latest }), t.confirmed]);
  },
});
