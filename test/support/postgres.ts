/** Several programs on one PostgreSQL schema: each opens it with connections of its own. */
import { randomUUID } from "node:crypto";
import { type Lacre, type LacreDialect, type LacreOptions, openLacre, pemSigner } from "lacre";
import { postgres } from "lacre/postgres";
import { TEST_SIGNING_KEY } from "lacre/testing";
import pg from "pg";
import { onTestFinished } from "vitest";
import { dropped, POSTGRES_URL, schemaOf } from "./databases.ts";
import { type Home, homeOf } from "./instance.ts";

/** A file's name that stands for a schema which nobody else has; it is dropped when the test ends. */
export function aPlace(): string {
  const place = randomUUID();
  onTestFinished(() => dropped(schemaOf(place)));
  return place;
}

/** A plain connection, as any SQL shell has it; closed when the test ends. Names need no schema before them. */
export async function aPlainConnection(place: string, url = POSTGRES_URL): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: `-c search_path=${schemaOf(place)}` });
  client.on("error", () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** What `openPrograms` takes beside the options of each program. */
export interface Programs extends Partial<LacreOptions> {
  readonly url?: string;
  /** Changes the dialect of each program. */
  readonly by?: (dialect: LacreDialect) => LacreDialect;
}

/** Opens so many programs on one schema, with one signing key; closed when the test ends. */
export async function openPrograms(
  place: string,
  count: number,
  { url = POSTGRES_URL, by = (dialect) => dialect, ...options }: Programs = {},
): Promise<Lacre[]> {
  const programs: Lacre[] = [];
  for (let i = 0; i < count; i++) {
    const dialect = by(postgres(url, { schema: schemaOf(place), connections: 8 }));
    const signer = pemSigner(TEST_SIGNING_KEY, 1);
    const lacre = await openLacre({ dialect, signer, rateLimit: { limit: 1_000_000, window_s: 60 }, ...options });
    onTestFinished(() => lacre.close());
    programs.push(lacre);
  }
  return programs;
}

/** A company as each program has it. */
export async function homesOf(programs: readonly Lacre[], company_id: string): Promise<Home[]> {
  return Promise.all(programs.map((lacre) => homeOf(lacre, company_id)));
}
