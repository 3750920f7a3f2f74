/** The product types of SAF-T (PT) that a product may have (Portaria 302/2016, field 2.4.1). */

/** `P` for goods, `S` for services. */
export const PRODUCT_TYPES = ["P", "S"] as const;
export type ProductType = (typeof PRODUCT_TYPES)[number];
