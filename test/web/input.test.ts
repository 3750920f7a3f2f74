/** A document as it is sent, and what is told of a refusal of it. */
import { beforeAll, expect, test } from "vitest";
import type { Company } from "../../src/core/face.ts";
import { DOC_TYPES, type DocType } from "../../src/core/fiscal/document-types.ts";
import type * as Inputs from "../../src/web/document/input.ts";
import type * as Lines from "../../src/web/document/line.ts";
import type * as Writings from "../../src/web/document/writing.ts";
import { day } from "../support/days.ts";
import { ownStore } from "./support/store.ts";

let inputs: typeof Inputs;
let lines: typeof Lines;
let writings: typeof Writings;

beforeAll(async () => {
  ownStore();
  inputs = await import("../../src/web/document/input.ts");
  lines = await import("../../src/web/document/line.ts");
  writings = await import("../../src/web/document/writing.ts");
  const { language } = await import("../../src/web/words/language.ts");
  language.value = "pt";
});

const writing = (doc_type: DocType) => writings.newWriting({} as Company, doc_type, day("2026-11-21"));

test("a due date is sent where it can be seen: it was typed before the type was changed", () => {
  const sent = DOC_TYPES.filter((doc_type) => {
    const one = writing("FT");
    one.due_date.value = "2026-12-21";
    writings.changeType(one, doc_type);
    return inputs.inputOf(one, { id: "s", cash_vat: false }, "c").due_date !== null;
  });
  expect(sent).toEqual(["FT", "ND"]);
});

test("the last day of a quotation is sent with quotations alone", () => {
  const sent = DOC_TYPES.filter((doc_type) => {
    const one = writing("OR");
    one.valid_until.value = "2026-12-21";
    writings.changeType(one, doc_type);
    return inputs.inputOf(one, { id: "s", cash_vat: false }, "c").valid_until !== null;
  });
  expect(sent).toEqual(["OR"]);
});

test("a refusal of a field that is not drawn is told in words, whichever field it is", () => {
  const told = (doc_type: DocType, series: number, byField: Readonly<Record<string, string>>) => {
    const one = writing(doc_type);
    inputs.showRefusal(one, byField);
    return inputs.otherRefusals(one, series);
  };
  const dated = { due_date: "é anterior" };
  expect(told("FT", 1, dated)).toEqual([]);
  expect(told("FS", 1, dated)).toEqual(["Vencimento: é anterior"]);
  const inSeries = { series_id: "é do regime" };
  expect(told("FT", 2, inSeries)).toEqual([]);
  expect(told("FT", 1, inSeries)).toEqual(["Série: é do regime"]);
  const others = {
    "payments[0].payment_date": "é posterior a hoje",
    "transport.from": "falta",
    "lines[0].description": "é longa",
    lines: "as linhas somam 0",
    metadata: "é grande",
  };
  expect(told("RC", 1, others)).toEqual([
    "Data do pagamento: é posterior a hoje",
    "Local de carga: falta",
    "Linhas: é longa",
    "as linhas somam 0",
    "é grande",
  ]);
  const seen = { "transport.from.city": "falta", "references[0].document_id": "é outro" };
  expect(told("GT", 1, seen)).toEqual([]);
  expect(told("FS", 1, { "transport.from.city": "falta" })).toEqual(["Local de carga: falta"]);
});

test("amounts off that a program set are kept and counted, until a percentage is typed", () => {
  const one = writings.newWriting({ tax_region: "PT" } as Company, "FT", day("2026-11-21"));
  const net = (value: number) => ({ value, withVat: false });
  const table = lines.newLine({ description: "Mesa", qty: 2, price: net(10), tax_rate: 23, discount_amount: 5 });
  one.lines.value = [table, lines.newLine({ description: "Pão", qty: 1, price: net(3), tax_rate: 6 })];
  one.discount_amount.value = 1.8;
  const sent = () => inputs.inputOf(one, { id: "s", cash_vat: false }, "c");
  const amounts = () => [sent().lines[0]?.discount_amount, sent().global_discount_amount];
  const percentages = () => [sent().lines[0]?.discount_pct, sent().global_discount_pct];
  expect([amounts(), percentages()]).toEqual([
    [5, 1.8],
    [undefined, 0],
  ]);
  expect(writings.totalsOfWriting(one)).toMatchObject({ total_net_cents: 1_620, total_tax_cents: 327 });
  expect(writings.problemWith(one, true)).toBe("Escolha o cliente.");

  table.discount.value = "10";
  one.discount.value = "50";
  expect([amounts(), percentages()]).toEqual([
    [undefined, null],
    [10, 50],
  ]);
  table.discount.value = "";
  one.discount.value = "";
  expect(amounts()).toEqual([5, 1.8]);

  table.qty.value = "0,1";
  expect(table.checked.value.problems.discount_pct).toBe("O desconto de 5,00\u00a0€ passa do valor da linha.");
  table.qty.value = "0,5";
  one.discount_amount.value = 3.01;
  expect(writings.problemWith(one, true)).toBe("Desconto global: O desconto de 3,01\u00a0€ passa do valor das linhas.");
});

test("a refusal of an amount off is told at the field of the discount", () => {
  const one = writing("FT");
  one.lines.value = [lines.newLine({ description: "Mesa", qty: 1, price: { value: 1, withVat: false }, tax_rate: 23 })];
  inputs.showRefusal(one, { "lines[0].discount_amount": "é demais", global_discount_amount: "é muito" });
  expect(one.lines.value[0]?.refused.value).toEqual({ discount_pct: "é demais" });
  expect(one.refused.value).toEqual({ global_discount_pct: "é muito" });
});
