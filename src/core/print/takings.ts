/** The takings of a day on a roll of 80 mm: by means, and by who recorded them. */

import { entryTime } from "../fiscal/civil-time.ts";
import { toCents } from "../fiscal/money.ts";
import { amount, date, dateTime } from "../texts/format.ts";
import type { Lang } from "../texts/languages.ts";
import type { Steps } from "./canvas.ts";
import { companyLines } from "./facts.ts";
import { type Framed, OF_NO_DOCUMENT } from "./frame.ts";
import { LABELS, paymentName } from "./labels.ts";
import { ONLY_SET } from "./paper.ts";
import type { Canvas, PreparedPicture } from "./pdf-canvas.ts";
import type { PrintableMeans, PrintableSums, PrintableTakings } from "./printable.ts";
import {
  addSheets,
  closeRoll,
  openStrip,
  STYLES,
  type Strip,
  writeIssuer,
  writeMention,
  writePair,
  writeRule,
  writeText,
} from "./roll.ts";

/** The takings of a day in the words of one language. */
export interface ToldTakings extends Framed {
  readonly takings: PrintableTakings;
}

/** Takings in a language. */
export function takingsIn(takings: PrintableTakings, lang: Lang): ToldTakings {
  const labels = LABELS[lang];
  const frame = {
    title: `${labels.takings} ${date(takings.date, lang)}`,
    issuer: takings.company.name,
    mention: labels.not_fiscal,
    ...OF_NO_DOCUMENT,
  };
  return { takings, lang, labels, frame };
}

/** Writes the takings. */
export function* writeTakings(canvas: Canvas, told: ToldTakings, logo: PreparedPicture | undefined): Steps {
  const { takings, labels, lang } = told;
  const roll = openStrip(canvas, told);
  writeIssuer(roll, companyLines(takings.company, told), logo);
  writeText(roll, labels.takings, STYLES.title);
  writeText(roll, date(takings.date, lang), STYLES.title);
  writeMention(roll);
  writePair(roll, labels.printed_at, dateTime(entryTime(takings.printed_at), lang), STYLES.text);
  writeRule(roll);
  yield;
  if (takings.means.length === 0) writeText(roll, labels.no_money, STYLES.text);
  else writeText(roll, labels.by_means, STYLES.small);
  yield* writeMeans(roll, takings.means);
  writeRule(roll);
  writePair(roll, labels.received_count({ count: takings.payments }), sum(roll, takings.received), STYLES.text);
  writePair(roll, labels.refunded_count({ count: takings.refunds }), sum(roll, -takings.refunded), STYLES.text);
  roll.y += 2;
  writePair(roll, `${labels.total} (EUR)`, sum(roll, takings.total), STYLES.strong, STYLES.total);
  writeRule(roll);
  if (takings.actors.length > 0) writeText(roll, labels.by_actor, STYLES.small);
  for (const { actor, total, means } of takings.actors) {
    writePair(roll, `${actor.name}  ·  ${actor.code}`, sum(roll, total), STYLES.strong);
    yield* writeMeans(roll, means);
    roll.y += 4;
  }
  closeRoll(roll);
  yield* addSheets(roll, ONLY_SET);
}

/** Writes a row for each means, and below it what was given back. */
function* writeMeans(roll: Strip, means: PrintableMeans): Steps {
  for (const { method_code, ...sums } of means) {
    const name = method_code === null ? roll.labels.without_means : paymentName(method_code, roll.lang);
    writePair(roll, name, sum(roll, sums.total), STYLES.text);
    if (sums.refunds > 0) writeText(roll, stepsOf(roll, sums), STYLES.small);
    yield;
  }
}

/** What was received and given back by one means, for a total that is neither. */
function stepsOf(roll: Strip, { payments, refunds, received, refunded }: PrintableSums): string {
  const { labels } = roll;
  const back = `${labels.refunded_count({ count: refunds })} ${sum(roll, -refunded)}`;
  return payments === 0 ? back : `${labels.received_count({ count: payments })} ${sum(roll, received)}  ·  ${back}`;
}

const sum = ({ lang }: Strip, eur: number): string => amount(toCents(eur), lang);
