/** The product types of SAF-T (PT) that a product may have (Portaria 302/2016, field 2.4.1). */

/** `P` for goods, `S` for services. */
export const PRODUCT_TYPES = ["P", "S"] as const;
export type ProductType = (typeof PRODUCT_TYPES)[number];

/** Units in which only time is sold, in Portuguese and English. */
const UNITS_OF_TIME: ReadonlySet<string> = new Set(
  `h hr hrs hora horas hour hours min minuto minutos minute minutes dia dias day days semana semanas week weeks
  mês mes meses month months ano anos year years`.split(/\s+/),
);

/** The type of a line without product or type: only goods travel, and only services are sold by time. */
export function typeByUnit(unit: string, travels: boolean): ProductType {
  const isTime = UNITS_OF_TIME.has(unit.trim().toLowerCase().replace(/\.$/, ""));
  return isTime && !travels ? "S" : "P";
}
