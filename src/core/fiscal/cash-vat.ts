/** The cash-VAT scheme (annex to Decreto-Lei 71/2013): tax falls due with the receipt, at the rates of the invoice. */

/** What an invoice comes to at one rate, less credits, and what of that no receipt has stated yet: cents with tax. */
export interface DueAtRate {
  readonly tax_rate_bps: number;
  readonly due_cents: number;
  readonly left_cents: number;
}

/**
 * How an amount received is shared among the rates of its invoice (article 6/3 b): all that is left to each where it is
 * all that is left, else in proportion to what each comes to, in cents rounded down, the rest to the largest. No rate
 * takes more than is left to it. In cents by rate; rates that get nothing are absent.
 */
export function splitByRate(dues: readonly DueAtRate[], amount_cents: number): ReadonlyMap<number, number> {
  const total_cents = dues.reduce((sum, { due_cents }) => sum + due_cents, 0);
  const shares = dues
    .toSorted((a, b) => b.due_cents - a.due_cents || a.tax_rate_bps - b.tax_rate_bps)
    .map((due) => {
      const share =
        total_cents === 0 ? 0 : Number((BigInt(amount_cents) * BigInt(due.due_cents)) / BigInt(total_cents));
      return { ...due, cents: Math.min(share, due.left_cents) };
    });
  let rest = amount_cents - shares.reduce((sum, { cents }) => sum + cents, 0);
  for (const share of shares) {
    const more = Math.min(rest, share.left_cents - share.cents);
    share.cents += more;
    rest -= more;
  }
  return new Map(shares.filter(({ cents }) => cents > 0).map(({ tax_rate_bps, cents }) => [tax_rate_bps, cents]));
}

/**
 * Exemptions of operations that the scheme leaves out (article 1/2): imports, exports and what is like them, supplies
 * within the EU, and those whose tax the customer owes.
 */
export function isOutsideCashVat(exemption_code: string): boolean {
  return /^M(?:0[456]|16|3\d|4\d)$/.test(exemption_code);
}
