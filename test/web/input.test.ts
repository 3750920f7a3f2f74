/** A document as it is sent, and what is told of a refusal of it. */
import { beforeAll, expect, test } from "vitest";
import type { Company } from "../../src/core/face.ts";
import { DOC_TYPES, type DocType } from "../../src/core/fiscal/document-types.ts";
import type * as Inputs from "../../src/web/document/input.ts";
import type * as Writings from "../../src/web/document/writing.ts";
import { day } from "../support/days.ts";
import { ownStore } from "./support/store.ts";

let inputs: typeof Inputs;
let writings: typeof Writings;

beforeAll(async () => {
  ownStore();
  inputs = await import("../../src/web/document/input.ts");
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
