/** The kinds of product that SAF-T (PT) tells apart and Lacre keeps (Portaria 302/2016, field 2.4.1). */

/** Goods or a service. */
export const PRODUCT_TYPES = ["P", "S"] as const;
export type ProductType = (typeof PRODUCT_TYPES)[number];
