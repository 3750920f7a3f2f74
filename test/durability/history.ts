/**
 * Judges a story: is there an order in which one clerk, doing one thing at a time, would give all these answers?
 * Documents affect each other only by their numbers, so each is judged by itself, and the numbers together.
 */
import { type Answered, type Deed, idIn, type Send, type Story, TOTAL_CENTS } from "./deeds.ts";

/** The stored state at the end. */
export interface Holdings {
  /** Drafts too. */
  readonly documents: number;
  readonly issued: number;
  readonly whole: boolean;
}

/** Everything unexplained, as sentences. */
export function anomaliesIn({ deeds }: Pick<Story, "deeds">, holdings: Holdings): string[] {
  const done = deeds.filter(({ answer }) => answer);
  const byDocument = Map.groupBy(done, (deed) => deed.document ?? (isDone(deed) ? idIn(answerTo(deed)) : undefined));
  const unmade = byDocument.get(undefined) ?? [];
  byDocument.delete(undefined);
  return [
    ...unmade.map((deed) => `${nameOf(deed)} was refused: ${answerTo(deed).text}`),
    ...Array.from(byDocument.values(), problemsWithDocument).flat(),
    ...problemsWithNumbers(done, holdings),
    ...(holdings.documents === byDocument.size
      ? []
      : [`${holdings.documents} documents are stored, ${byDocument.size} were asked for.`]),
    ...(holdings.whole ? [] : ["The chain is not whole."]),
  ];
}

/** Resends answered requests. The same answer must come, to the byte, marked as a replay. */
export async function lostAnswers(deeds: readonly Deed[], send: Send): Promise<string[]> {
  const lost: string[] = [];
  for (const deed of deeds) {
    if (deed.what === "read" || !isDone(deed)) continue;
    const again = await send(deed.asked);
    const { status, text } = answerTo(deed);
    if (!again?.replayed || again.status !== status || again.text !== text) {
      lost.push(`${nameOf(deed)} is lost: it was ${text}, and is ${again?.text}`);
    }
  }
  return lost;
}

/** Whether it was answered with success. */
export function isDone({ answer }: Deed): boolean {
  return answer !== undefined && answer.status < 300;
}

function answerTo({ answer }: Deed): Answered {
  return answer as Answered;
}

function nameOf({ what, asked, document }: Deed): string {
  return `${asked.key} (${what}${document === undefined ? "" : ` ${document}`})`;
}

// ——— Numbers ———

/** The fields of a document in an answer. */
interface Shown {
  readonly id: string;
  readonly number: string | null;
  readonly status: "draft" | "issued" | "cancelled";
  readonly outstanding: number | null;
}

function problemsWithNumbers(done: readonly Deed[], { issued }: Holdings): string[] {
  const issues = done
    .filter((deed) => isDone(deed) && (deed.what === "issue" || deed.issue))
    .map((deed) => ({ deed, number: sequenceOf(shownBy(deed)) }))
    .sort((a, b) => a.number - b.number);
  const problems: string[] = [];
  let latestSent = 0;
  for (const [i, { deed, number }] of issues.entries()) {
    if (number !== i + 1) return [...problems, `${nameOf(deed)} has number ${number} where ${i + 1} is due.`];
    if (deed.answered < latestSent) problems.push(`${nameOf(deed)} was over before one with a smaller number began.`);
    latestSent = Math.max(latestSent, deed.sent);
  }
  if (issued !== issues.length) problems.push(`${issued} are issued in the storage, ${issues.length} were answered.`);
  return problems;
}

function sequenceOf({ number }: Shown): number {
  return Number(number?.split("/")[1]);
}

function shownBy(deed: Deed): Shown {
  return JSON.parse(answerTo(deed).text) as Shown;
}

// ——— One document ———

/** The clerk's view of it. */
interface State {
  readonly status: "unmade" | Shown["status"];
  readonly paid: number;
}

function problemsWithDocument(deeds: readonly Deed[]): string[] {
  const numbers = new Set(
    deeds.filter((deed) => deed.what !== "pay" && isDone(deed)).flatMap((deed) => shownBy(deed).number ?? []),
  );
  const problems = numbers.size > 1 ? [`One document had the numbers ${[...numbers].join(", ")}.`] : [];
  if (isExplainable(deeds)) return problems;
  const told = deeds.map((deed) => {
    const { status, text } = answerTo(deed);
    return `${deed.sent}-${deed.answered} ${deed.what} ${deed.cents}: ${status} ${text.slice(0, 600)}`;
  });
  return [...problems, `No order explains\n${told.join("\n")}`];
}

/**
 * Looks for an order of the requests that gives these answers, and in which none comes before one that had ended when
 * it began (Wing and Gong, "Testing and verifying concurrent objects", 1993).
 */
function isExplainable(deeds: readonly Deed[]): boolean {
  const tried = new Set<string>();
  const search = (left: readonly Deed[], state: State): boolean => {
    if (left.length === 0) return true;
    const here = `${left.map(({ sent }) => sent).join()} ${state.status} ${state.paid}`;
    if (tried.has(here)) return false;
    tried.add(here);
    const firstOver = Math.min(...left.map(({ answered }) => answered));
    return left.some((deed) => {
      if (deed.sent > firstOver) return false;
      const next = after(state, deed);
      return (
        next !== undefined &&
        search(
          left.filter((other) => other !== deed),
          next,
        )
      );
    });
  };
  return search(deeds, { status: "unmade", paid: 0 });
}

/** The document after a request; undefined when the request could not have had its answer then. */
function after(state: State, deed: Deed): State | undefined {
  const { status, paid } = state;
  const code = isDone(deed) ? undefined : codeOf(answerTo(deed));
  switch (deed.what) {
    case "create":
      if (code !== undefined || status !== "unmade") return undefined;
      return asShown({ status: deed.issue ? "issued" : "draft", paid }, deed);
    case "issue":
      if (code !== undefined) return code === "invalid_state" && status !== "draft" ? state : undefined;
      return status === "draft" ? asShown({ status: "issued", paid }, deed) : undefined;
    case "pay":
      if (status !== "issued") return code === "invalid_state" ? state : undefined;
      if (paid + deed.cents > TOTAL_CENTS) return code === "payment_exceeds_balance" ? state : undefined;
      return code === undefined ? { status, paid: paid + deed.cents } : undefined;
    case "cancel":
      if (status !== "issued") return code === "invalid_state" ? state : undefined;
      if (paid > 0) return code === "document_settled" ? state : undefined;
      return code === undefined ? asShown({ status: "cancelled", paid }, deed) : undefined;
    case "read":
      return code === undefined ? asShown(state, deed) : undefined;
  }
}

/** The state, if the answer shows it. */
function asShown(state: State, deed: Deed): State | undefined {
  const { status, outstanding } = shownBy(deed);
  const due = state.status === "issued" ? (TOTAL_CENTS - state.paid) / 100 : null;
  return status === state.status && outstanding === due ? state : undefined;
}

function codeOf({ text }: Answered): string {
  return (JSON.parse(text) as { error: { code: string } }).error.code;
}
