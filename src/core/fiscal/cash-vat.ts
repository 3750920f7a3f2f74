/** The cash-VAT scheme (annex to Decreto-Lei 71/2013): tax falls due with the receipt, at the rates of the invoice. */

/**
 * An invoice's gross at one rate, less credits, and the part that no receipt has stated yet: cents with tax. Exempt and
 * not subject are two rates of 0 %.
 */
export interface DueAtRate {
  readonly tax_rate_bps: number;
  readonly due_cents: number;
  readonly left_cents: number;
}

/**
 * Shares a received amount among the rates of its invoice (article 6/3 b). If it is all that is left, each rate gets
 * what it has left; otherwise in proportion to each rate's gross, in cents rounded down, with the rest for the largest.
 * No rate gets more than it has left. Returns cents for each of `dues`; those that get nothing are absent.
 */
export function splitByRate<Due extends DueAtRate>(
  dues: readonly Due[],
  amount_cents: number,
): ReadonlyMap<Due, number> {
  const total_cents = dues.reduce((sum, { due_cents }) => sum + due_cents, 0);
  const shares = dues
    .toSorted((a, b) => b.due_cents - a.due_cents || a.tax_rate_bps - b.tax_rate_bps)
    .map((due) => {
      const share =
        total_cents === 0 ? 0 : Number((BigInt(amount_cents) * BigInt(due.due_cents)) / BigInt(total_cents));
      return { due, cents: Math.min(share, due.left_cents) };
    });
  let rest = amount_cents - shares.reduce((sum, { cents }) => sum + cents, 0);
  for (const share of shares) {
    const more = Math.min(rest, share.due.left_cents - share.cents);
    share.cents += more;
    rest -= more;
  }
  return new Map(shares.filter(({ cents }) => cents > 0).map(({ due, cents }) => [due, cents]));
}

/**
 * Exemptions of operations outside the scheme (article 1/2): imports, exports and similar ones, supplies within the EU,
 * and those whose tax the customer owes.
 */
export function isOutsideCashVat(exemption_code: string): boolean {
  return /^M(?:0[456]|16|3\d|4\d)$/.test(exemption_code);
}
