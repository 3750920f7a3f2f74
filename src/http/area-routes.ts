/**
 * Every route of the company area below /area/v1: what only a person may do, outside the public description. Another
 * route takes only a line. Everything else the page needs is in routes.ts, with the session instead of a key.
 */
import * as z from "zod";
import { COMPANY_OPERATIONS, PERSON_OPERATIONS } from "../core/operations.ts";
import type { Operation } from "../core/runtime/operation.ts";
import { jsonAnswer } from "./answer.ts";
import type { Route } from "./route.ts";
import { closing, file, opening, page, route, unlocated, upload } from "./routes.ts";

const { actors, clock, company, documents, events, figures, installation, keys, mail, saft, users, waiting, series } =
  COMPANY_OPERATIONS;
const { start, invitations, session, sessions, companies, tries } = PERSON_OPERATIONS;

export const AREA_ROUTES: readonly Route[] = [
  page("/area/v1/start", {
    id: start.get.id,
    summary: start.get.summary,
    type: "application/json",
    output: z.looseObject({}),
    async serve({ lacre, demo, public_url }) {
      const nowhere = lacre.visitor({ address: null, network: null, user_agent: null });
      return jsonAnswer(200, { ...(await lacre.run(nowhere, start.get, {})).value, demo, public_url });
    },
  }),
  unlocated("POST", "/area/v1/invitations/look", invitations.look, 200),
  opening("POST", "/area/v1/invitations/accept", invitations.accept),
  opening("POST", "/area/v1/session", session.open),

  route("GET", "/area/v1/session", session.get),
  route("PATCH", "/area/v1/session", session.changeLanguage),
  closing("DELETE", "/area/v1/session", session.close),
  route("POST", "/area/v1/session/confirm", session.confirm),
  route("POST", "/area/v1/session/password", session.changePassword),
  route("GET", "/area/v1/sessions", sessions.list),
  route("DELETE", "/area/v1/sessions/:id", sessions.revoke, 204),
  unlocated("POST", "/area/v1/companies", companies.create, 201),

  route("GET", "/area/v1/company", company.get),
  route("PATCH", "/area/v1/company", company.change),
  file(
    "GET",
    "/area/v1/company/logo",
    company.logo,
    "image/png",
    (logo) => logo && { name: logo.name, type: logo.type, content: logo.picture },
  ),

  route("GET", "/area/v1/mail", mail.get),
  route("PATCH", "/area/v1/mail", mail.change),
  route("POST", "/area/v1/mail/test", mail.test),

  route("GET", "/area/v1/figures", figures.get),
  route("GET", "/area/v1/debts", figures.debts),
  route("GET", "/area/v1/customers/:id/figures", figures.customer),
  route("GET", "/area/v1/documents", documents.search),
  route("GET", "/area/v1/waiting", waiting.list),
  route("POST", "/area/v1/clock/confirm", clock.confirm),
  route("GET", "/area/v1/communications", saft.listCommunications),
  route("POST", "/area/v1/communications", saft.markCommunicated),
  upload("/area/v1/saft/import", saft.importMasterFiles, {
    field: "file",
    types: ["application/xml", "text/xml"],
    maxBytes: 64 * 1024 * 1024,
  }),

  route("GET", "/area/v1/installation", installation.get),
  file("POST", "/area/v1/verify", installation.verify, "application/x-ndjson", ({ file }) => ({
    name: "verify.ndjson",
    content: file,
  })),

  route("POST", "/area/v1/series/year", series.openYear),

  route("GET", "/area/v1/events", events.list),
  route("GET", "/area/v1/actors", actors.list),

  route("GET", "/area/v1/saft/report", saft.report),

  route("GET", "/area/v1/keys", keys.list),
  route("POST", "/area/v1/keys", keys.create, 201),
  route("DELETE", "/area/v1/keys/:id", keys.revoke, 204),

  route("GET", "/area/v1/users", users.list),
  route("POST", "/area/v1/users/invitations", users.invite, 201),
  route("DELETE", "/area/v1/users/invitations/:id", users.withdraw, 204),
  route("PATCH", "/area/v1/users/:id", users.changeRole),
  route("POST", "/area/v1/users/:id/disable", users.disable),
  unlocated("POST", "/area/v1/users/:id/reset", users.reset, 201),
];

/** The operations of a person that have no route of their own, and why. */
export const AREA_UNROUTED: readonly { readonly operation: Operation; readonly reason: string }[] = [
  { operation: start.get, reason: "A page serves it, as it needs nobody." },
  { operation: tries.count, reason: "Lacre counts tries at passwords by itself." },
  { operation: tries.takeBack, reason: "As for counting them." },
  { operation: session.note, reason: "Lacre notes by itself that a session is in use." },
];
