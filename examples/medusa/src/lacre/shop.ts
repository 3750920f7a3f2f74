/** The shop's Lacre, and its terms. */
import { createClient } from "lacre/client";
import type { Terms } from "./documents.js";

export const lacre = createClient({ url: process.env.LACRE_URL ?? "", key: process.env.LACRE_KEY ?? "" });

export const TERMS: Terms = { methods: { pp_stripe_stripe: "CC" } };

/** The day of an instant in Portugal; today when left out. */
export const dayOf = (instant: Date | string = new Date()) =>
  new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Lisbon" }).format(new Date(instant));
