/** The pages served without a key: the OpenAPI document, the viewer that shows it, and the two probes. */
import * as z from "zod";
import { refuse } from "../core/runtime/errors.ts";
import { common } from "../core/runtime/refusals.ts";
import { jsonAnswer } from "./answer.ts";
import { fileAnswer } from "./files.ts";
import { t } from "./refusals.ts";
import type { RequestAddress } from "./request-address.ts";
import type { PublicPage, Site } from "./route.ts";
import { VIEWER_POLICY } from "./viewer.ts";

const Status = z.strictObject({ status: z.literal("ok") });

const Ready = Status.extend({
  blocked: z
    .strictObject({ database_changed: z.int(), numbers_unconfirmed: z.int(), clock_behind: z.int() })
    .describe("How many companies issue nothing, or not in every series, and why."),
  last_backup: z
    .strictObject({ taken_at: z.iso.datetime(), age_s: z.int() })
    .nullable()
    .describe("Null if no backup was taken."),
  backup_overdue: z
    .boolean()
    .describe(
      "Documents were issued that no backup holds, and the last one is older than a week, than two days under a certificate number, or than two intervals.",
    ),
  webhooks_unsent: z.int().describe("How many companies have messages to webhooks that nobody has sent for minutes."),
  disk_low: z.boolean().describe("The disk of the database is nearly full. Once it is, nothing is issued."),
});

/** Answers without touching the database. */
export const health: PublicPage = {
  id: "getHealth",
  summary: "Whether the service is alive",
  type: "application/json",
  output: Status,
  serve: () => jsonAnswer(200, { status: "ok" }),
};

export const readiness: PublicPage = {
  id: "getReadiness",
  summary: "Whether the database answers, its schema is current, and a document can be issued in some company",
  type: "application/json",
  output: Ready,
  serve: async ({ lacre }) => {
    if (!(await lacre.isReady().catch(() => false))) {
      refuse("unavailable", lacre.isDiskFull() ? common.storage_full : t.storage_not_ready);
    }
    const { blocked, nothing_can_be_issued, last_backup_at: taken_at, ...low } = await lacre.readiness();
    if (nothing_can_be_issued) {
      const reasons = Object.entries(t.reason).flatMap(([name, text]) =>
        blocked[name as keyof typeof blocked] > 0 ? [text] : [],
      );
      refuse("unavailable", t.nothing_can_be_issued({ reasons }));
    }
    const age_s = taken_at && Math.max(0, Math.floor((lacre.now().getTime() - Date.parse(taken_at)) / 1000));
    const last_backup = taken_at && { taken_at, age_s };
    return jsonAnswer(200, { status: "ok", blocked, last_backup, ...low });
  },
};

export const description = filePage(
  {
    id: "getDescription",
    summary: "The OpenAPI document",
    type: "application/json",
    output: z.looseObject({ openapi: z.string() }),
  },
  (site, { base }) => site.description(base),
);

export const viewerPage = filePage(
  { id: "getViewer", summary: "The API documentation as a page", type: "text/html", output: z.string() },
  (site) => site.viewer().page,
  { "content-security-policy": VIEWER_POLICY },
);

export const viewerScript = filePage(
  { id: "getViewerScript", summary: "The script of that page", type: "text/javascript", output: z.string() },
  (site) => site.viewer().script,
);

export const viewerStyle = filePage(
  { id: "getViewerStyle", summary: "The style sheet of that page", type: "text/css", output: z.string() },
  (site) => site.viewer().style,
);

/** A page with fixed content. */
function filePage(
  page: Omit<PublicPage, "serve">,
  content: (site: Site, address: RequestAddress) => string | Uint8Array,
  more: Readonly<Record<string, string>> = {},
): PublicPage {
  const headers = { "content-type": `${page.type}; charset=utf-8`, ...more };
  return {
    ...page,
    serve(site, request, address) {
      const body = content(site, address);
      return typeof body === "string" ? { status: 200, headers, body } : fileAnswer(body, request, headers);
    },
  };
}
