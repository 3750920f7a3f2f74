/** What day it is: the one file of the page that reads a clock. */
import { civilDate } from "../core/fiscal/civil-time.ts";

/** Today in a time zone, `YYYY-MM-DD`, by this device's clock: for what is offered. The server decides by its own. */
export const today = (time_zone: string): string => civilDate(new Date(), time_zone);

/** Today where the reader is. */
export const todayHere = (): string => today(Intl.DateTimeFormat().resolvedOptions().timeZone);
