/** Rates of VAT and reasons to charge none, as people choose them. */
import type { Day } from "../core/fiscal/civil-time.ts";
import { EXEMPTIONS, exemptionOf, isInForce } from "../core/fiscal/exemptions.ts";
import { fromBps, toBps } from "../core/fiscal/money.ts";
import { lawfulRates, type TaxPlace } from "../core/fiscal/taxation.ts";
import { taxCodeOf } from "../core/fiscal/vat-rates.ts";
import { percent } from "./words/decimals.ts";
import { texts } from "./words/texts.ts";

const t = texts({
  NOR: ["normal", "normal"],
  INT: ["intermédia", "intermediate"],
  RED: ["reduzida", "reduced"],
  OUT: ["fora das taxas em vigor", "no rate in force"],
  none: ["isento ou não sujeito", "exempt or not taxed"],
});

/** The most frequent use of each reason, if its official text does not say it. */
const uses = texts({
  M01: ["despesas pagas por conta do cliente, taras", "costs paid for the customer, deposits"],
  M02: ["vendas a exportadores nacionais", "sales to exporters in Portugal"],
  M04: ["importações", "imports"],
  M05: ["exportações", "exports"],
  M06: ["entrepostos e outros regimes suspensivos", "bonded warehouses"],
  M07: ["saúde, ensino, cultura, arrendamento", "health, teaching, culture, rents"],
  M09: ["pequenos retalhistas, artigo 60.º", "small retailers, article 60"],
  M10: ["pequenos negócios, artigo 53.º", "small businesses, article 53"],
  M16: ["bens para empresas de outros países da UE", "goods for businesses in other EU countries"],
  M20: ["produtores agrícolas", "farmers"],
  M21: ["revenda de combustíveis", "resale of fuels"],
  M30: ["sucata e resíduos", "scrap and waste"],
  M31: ["construção civil", "building works"],
  M32: ["direitos de emissão de gases", "emission rights"],
  M33: ["cortiça, madeira, pinhas e pinhões", "cork, wood, pine cones and nuts"],
  M40: ["serviços a empresas de outros países", "services to businesses abroad"],
  M41: ["operações triangulares na UE", "triangular sales in the EU"],
  M42: ["imóveis, com renúncia à isenção", "property, exemption waived"],
  M43: ["ouro para investimento", "investment gold"],
  M46: ["viajantes que vivem fora da UE", "travellers who live outside the EU"],
});

/** A rate with its name: `23 % normal`. In percent. */
export function rateName(rate: number, { region, date }: TaxPlace): string {
  const name = rate === 0 ? t.none : t[taxCodeOf(toBps(rate), region, date)];
  return `${percent(rate)} ${name}`;
}

type Option = readonly [value: string, label: string];

/** A line's lawful rates at a place and date, the highest first, and `others` in use; as percentages. */
export function rateOptions(place: TaxPlace, ...others: readonly number[]): readonly Option[] {
  const rates = new Set([...lawfulRates(place).map(fromBps), ...others]);
  return [...rates].sort((a, b) => b - a).map((rate) => [String(rate), rateName(rate, place)]);
}

/** A reason to charge no VAT: `M10 · IVA – regime de isenção (pequenos negócios, artigo 53.º)`. */
export function exemptionName(code: string): string {
  const use = (uses as Readonly<Record<string, string>>)[code];
  return `${code} · ${exemptionOf(code)?.mention ?? ""}${use ? ` (${use})` : ""}`;
}

/** The reasons in force on a day, and one that is in use. */
export function exemptionOptions(date: Day, inUse?: string | null): readonly Option[] {
  return EXEMPTIONS.filter((reason) => isInForce(reason, date) || reason.code === inUse).map(({ code }) => [
    code,
    exemptionName(code),
  ]);
}
