/** Days and instants by how they are written; a text that is none throws. */
import { type Day, type Instant, isCivilDate, isInstant } from "../../src/core/fiscal/civil-time.ts";

export function day(text: string): Day {
  if (!isCivilDate(text)) throw new TypeError(`${text} is no day.`);
  return text;
}

export function instant(text: string): Instant {
  if (!isInstant(text)) throw new TypeError(`${text} is no instant.`);
  return text;
}
