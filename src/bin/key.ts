/** `lacre key`: the API keys of a company. */
import * as z from "zod";
import { civilDate, type Instant } from "../core/fiscal/civil-time.ts";
import { command } from "./command.ts";
import { FLAGS, IN_COMPANY, operand, scopesFlag, textFlag } from "./config.ts";
import { findDatabase, withCompany, withLacre } from "./database/open.ts";
import { columns, show } from "./output.ts";

const createCommand = command({
  name: "key create",
  input: z.strictObject({
    name: textFlag("TEXT", "key_name"),
    scope: scopesFlag,
    ...IN_COMPANY,
  }),
  async run({ name, scope, json, ...where }, terminal) {
    const t = terminal.texts.key;
    const key = await withCompany(where, (lacre, { id }) => lacre.keys.create({ company_id: id, name, scopes: scope }));
    show(terminal, json, { id: key.id, name: key.name, scopes: key.scopes, api_key: key.api_key }, [
      t.created({ id: key.id, name: key.name, scopes: key.scopes.join(", ") }),
      t.value,
      `  ${key.api_key}`,
    ]);
  },
});

const listCommand = command({
  name: "key list",
  input: z.strictObject(IN_COMPANY),
  async run({ json, ...where }, terminal) {
    const t = terminal.texts.key;
    const { keys, time_zone } = await withCompany(where, async (lacre, { id, time_zone }) => ({
      keys: await lacre.keys.list({ company_id: id }),
      time_zone,
    }));
    const dayOf = (at: Instant) => civilDate(at, time_zone);
    const rows = keys.map(({ id, last_four, created_at, revoked_at, name, scopes }) => [
      id,
      `…${last_four}`,
      revoked_at === null ? t.since({ date: dayOf(created_at) }) : t.revoked_on({ date: dayOf(revoked_at) }),
      name,
      scopes.join(" "),
    ]);
    show(terminal, json, keys, columns(rows));
  },
});

const revokeCommand = command({
  name: "key revoke",
  input: z.strictObject({ id: operand("ID"), db: FLAGS.db, json: FLAGS.json }),
  async run({ id, db, json }, terminal) {
    const key = await withLacre(findDatabase(db), (lacre) => lacre.keys.revoke({ id }));
    show(terminal, json, key, [terminal.texts.key.revoked({ id: key.id, name: key.name })]);
  },
});

export const keyCommands = [createCommand, listCommand, revokeCommand];
