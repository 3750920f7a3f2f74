/**
 * `lacre/totals`: what a basket comes to, in a browser or anywhere else, by the code that Lacre itself computes with.
 * It imports nothing of Node and does nothing when it is imported.
 */

export {
  type ComputedLine,
  type ComputedTotals,
  computeLines,
  computeTotals,
  type PricedDocument,
  type PricedLine,
} from "./fiscal/computed-totals.ts";
export { grossOfNet, netOfGross } from "./fiscal/gross-prices.ts";
export { nifOf } from "./fiscal/nif.ts";
