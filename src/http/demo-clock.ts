/** `POST /demo/clock`: moves the clock of a demonstration. No other server has this route. */
import * as z from "zod";
import type { Lacre } from "../core/open.ts";
import { refuse } from "../core/runtime/errors.ts";
import { parseInput } from "../core/runtime/operation.ts";
import { type Clock, systemClock } from "../core/runtime/ports.ts";
import { type Answer, errorAnswer, HttpError, jsonAnswer } from "./answer.ts";
import { readObject } from "./body.ts";
import type { Handler } from "./handler.ts";
import { bearerOf } from "./headers.ts";
import type { IncomingRequest } from "./incoming-request.ts";
import { languageOf } from "./languages.ts";
import { t } from "./refusals.ts";

/** The system's clock, and how far it was moved ahead. */
export interface DemoClock {
  readonly now: Clock;
  /** Moves it ahead by some milliseconds. */
  advance(ms: number): void;
}

const PATH = "/demo/clock";
const MAX_BODY_BYTES = 1_024;
/** Ten years, in seconds. */
const FARTHEST_S = 10 * 366 * 24 * 60 * 60;

const Move = z.strictObject({
  to: z.iso.datetime({ offset: true }).optional(),
  advance_s: z.int().min(1).max(FARTHEST_S).optional(),
});

/** Makes the clock of a demonstration, which goes on from wherever it was moved to. */
export function createDemoClock(): DemoClock {
  let ahead_ms = 0;
  return {
    now: () => new Date(systemClock().getTime() + ahead_ms),
    advance(ms) {
      ahead_ms += ms;
    },
  };
}

/**
 * The handler of a demonstration, with its clock: whoever has a key reads it by GET and moves it ahead by POST, to an
 * instant or by seconds. It is then confirmed in every company, as a person does after a pause.
 */
export function withClock(handler: Handler, lacre: Lacre, clock: DemoClock): Handler {
  async function clockAnswer(request: IncomingRequest): Promise<Answer> {
    try {
      if (!["GET", "POST"].includes(request.method)) throw new HttpError("method_not_allowed", { allow: "GET, POST" });
      await lacre.authenticate(bearerOf(request));
      if (request.method === "POST") await move(lacre, clock, await readObject(request, MAX_BODY_BYTES));
      return jsonAnswer(200, { now: clock.now().toISOString() });
    } catch (error) {
      return errorAnswer(error, languageOf(request.header("accept-language")));
    }
  }
  const answer: Handler["answer"] = (request, source) =>
    request.target === PATH ? clockAnswer(request) : handler.answer(request, source);
  return Object.assign(handler.bind(undefined) as Handler, { answer, newRequestId: handler.newRequestId });
}

async function move(lacre: Lacre, clock: DemoClock, body: object = {}): Promise<void> {
  const { to, advance_s } = parseInput(Move, body);
  if ((to === undefined) === (advance_s === undefined)) refuse("invalid_request", t.move_to_or_by);
  const ms = to === undefined ? Number(advance_s) * 1_000 : Date.parse(to) - clock.now().getTime();
  if (ms < 0 || ms > FARTHEST_S * 1_000) refuse("invalid_request", t.clock_goes_ahead);
  clock.advance(ms);
  for (const company of await lacre.companies.list()) await lacre.as(company).clock.confirm();
}
