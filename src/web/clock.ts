/** Today's date: the only file of the page that reads a clock. */
import { civilDate, type Day } from "../core/fiscal/civil-time.ts";

/** Today in a time zone, by this device's clock: for defaults. The server decides by its own. */
export const today = (time_zone: string): Day => civilDate(new Date(), time_zone);

/** Today where the reader is. */
export const todayHere = (): Day => today(Intl.DateTimeFormat().resolvedOptions().timeZone);
