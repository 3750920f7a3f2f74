/** The mentions the law requires on the page, each with a document that must not show it. */
import { describe, expect, test } from "vitest";
import { DOC_TYPES, type DocType } from "../../../src/core/fiscal/document-types.ts";
import { PAPERS } from "../../../src/core/print/paper.ts";
import { type PrintOptions, printDocument } from "../../../src/core/print/print.ts";
import type { PrintableDocument, PrintableLine } from "../../../src/core/print/printable.ts";
import { day, instant } from "../../support/days.ts";
import { pngOf } from "../../support/pictures.ts";
import { checkFile, codesOf, pagesOf, textOf, wordsOf } from "./reading.ts";
import { exempt, line, sample, transport } from "./samples.ts";

const printed = async (more: Partial<PrintableDocument> = {}, options?: PrintOptions) =>
  textOf(await printDocument(sample(more), options));

const strict = { certificate_number: 9999 };
const customer = (tax_id: string | null) => ({ customer: { ...sample().customer, tax_id } });
const finalConsumer = {
  customer: { ...customer(null).customer, name: "Consumidor final", address: null, postal_code: null, city: null },
};
const unpriced = { doc_type: "GT", lines: [line({ unit_price_micros: 0 })] } as const;
const correction = { doc_type: "NC", number: "NC 2026A/2" } as const;
const cashVat = { issuer: { ...sample().issuer, cash_vat: true } };
const cancelled = {
  status: "cancelled",
  cancelled_at: instant("2026-07-21T11:02:03.000Z"),
  cancel_reason: "Erro no cliente",
} as const;

const payment = (method_code: string) => ({ amount_cents: 455, method_code, payment_date: day("2026-11-21") });
const reference = (number: string) => ({ number, issue_date: day("2026-11-01"), amount_cents: null, reason: null });
const returned = { ...reference("FT 2026A/1"), amount_cents: 455, reason: "Devolução" };

/** Three pieces at 1.23 with VAT. */
const withVat = (more: Partial<PrintableLine> = {}) =>
  line({ qty_micros: 3_000_000, unit_price_micros: 1_000_000, unit_price_gross_micros: 1_230_000, ...more });

/** A mention, the document that must show it, and the one that must not. */
type Mention = readonly [string, Partial<PrintableDocument>, Partial<PrintableDocument>];

const MENTIONS: readonly Mention[] = [
  ["Fatura simplificada FT 2026A/17", { doc_type: "FS" }, {}],
  ["mc2X-Processado por programa certificado n.º 9999/AT", strict, {}],
  ["Processado por programa certificado n.º 0042/AT", { certificate_number: 42 }, strict],
  ["Emitido por programa certificado n.º 9999/AT", { ...strict, doc_type: "RC" }, strict],
  ["Processado por programa", strict, { ...strict, doc_type: "RC" }],
  ["programa certificado", strict, {}],
  ["Emitido por programa não certificado", {}, strict],
  ["ATCUD:CSDF7T5H-17", {}, { atcud: null }],
  ["NIF 501442600", {}, customer(null)],
  ["NIF Consumidor final", customer(null), {}],
  ["NIF Consumidor final", customer("999999990"), {}],
  ["NIF Consumidor final", finalConsumer, {}],
  ["NIF 234567899", { customer: { ...finalConsumer.customer, tax_id: "234567899" } }, finalConsumer],
  ["Emitido por K3", {}, { issued_by: "U2" }],
  ["Data de emissão 21-11-2026", {}, { issue_date: day("2026-11-20") }],
  ["Vencimento 21-12-2026", {}, { due_date: null }],
  ["Válido até 31-12-2026", { doc_type: "OR", valid_until: day("2026-12-31") }, { doc_type: "OR" }],
  ["Data da operação 18-11-2026", { supply_date: day("2026-11-18") }, {}],
  [
    "Data da operação: 18-11-2026",
    { supply_date: day("2026-11-20"), lines: [line({ supply_date: day("2026-11-18") })] },
    { supply_date: day("2026-11-20"), lines: [line({ supply_date: day("2026-11-20") })] },
  ],
  ["M07 0 %", { lines: [exempt()] }, {}],
  ["M07 Isento artigo 9.º do CIVA", { lines: [line(), exempt()] }, {}],
  ["M16 Isento artigo 14.º do RITI", { lines: [exempt({ exemption_code: "M16" })] }, { lines: [exempt()] }],
  ["12,5 %", { lines: [line({ discount_bps: 1250 })] }, {}],
  ["Desc.", { lines: [line({ discount_bps: 1250 })] }, {}],
  ["Desconto global 10 %", { global_discount_bps: 1000 }, {}],
  ["-0,37", { global_discount_bps: 1000 }, {}],
  ["Desconto global -0,50", { global_discount_cents: 50 }, {}],
  ["0,50 €", { lines: [line({ discount_cents: 50 })] }, {}],
  ["Desconto global (1,23 € c/ IVA) -1,00", { lines: [withVat()], global_discount_cents: 123 }, {}],
  ["1,00 €", { lines: [withVat({ discount_cents: 123 })] }, {}],
  ["Desconto global -1,23", { doc_type: "FS", lines: [withVat()], global_discount_cents: 123 }, {}],
  ["1,23 €", { doc_type: "FS", lines: [withVat({ discount_cents: 123 })] }, {}],
  ["Continente · Normal 23 % 3,70 0,85", {}, { lines: [exempt()] }],
  ["Açores · Reduzida", { lines: [line({ tax_region: "PT-AC", tax_code: "RED", tax_rate_bps: 400 })] }, {}],
  ["Total de IVA 0,85", {}, unpriced],
  ["Preço unit.", {}, unpriced],
  ["Total (EUR) 4,55", {}, unpriced],
  ["Total recebido (EUR)", { doc_type: "RC" }, {}],
  ["Pagamento Numerário · 21-11-2026 4,55", { payments: [payment("NU")] }, {}],
  ["Transferência bancária ou débito direto autorizado", { payments: [payment("TB")] }, {}],
  ["Documento de origem OR 2026A/3 · 01-11-2026", { references: [reference("OR 2026A/3")] }, {}],
  [
    "Documento corrigido",
    { ...correction, references: [reference("FT 2026A/1")] },
    { references: [reference("OR 1/1")] },
  ],
  ["FT 2026A/1 · 01-11-2026 · Devolução 4,55", { ...correction, references: [returned] }, correction],
  ["Documentos liquidados", { doc_type: "RC", references: [reference("FT 2026A/1")] }, { doc_type: "RC" }],
  ["Observações Entregar nas traseiras", { notes: "Entregar nas traseiras" }, {}],
  ["Local de carga", { ...unpriced, transport }, unpriced],
  ["Início do transporte", { ...unpriced, transport }, unpriced],
  ["Fim do transporte", { ...unpriced, transport }, { ...unpriced, transport: { ...transport, end_at: null } }],
  ["AA-00-BB", { ...unpriced, transport }, { ...unpriced, transport: { ...transport, vehicle: null } }],
  ["Código AT 1234567890", { ...unpriced, at_doc_code: "1234567890" }, unpriced],
  ["IVA - regime de caixa", cashVat, {}],
  ["IVA - regime de caixa", { ...cashVat, doc_type: "RC" }, { ...cashVat, doc_type: "OR" }],
  [
    "Isento artigo 9.º do CIVA",
    { ...cashVat, doc_type: "RC", lines: [exempt()] },
    { doc_type: "RC", lines: [exempt({ tax_region: null, tax_code: null, exemption_code: null })] },
  ],
  ["ANULADO em 21-07-2026 12:02:03 · Erro no cliente", cancelled, {}],
  ["ENSAIO: programa não certificado, documento sem valor fiscal", strict, { certificate_number: 42 }],
  ["Documento emitido para fins de Formação", { training: true }, {}],
  ["Lacre Software, Lda.", { training: true }, {}],
  ["NIF 508025338", { training: true }, {}],
  ["NIF 509442013", {}, { training: true }],
  ["IBAN PT50", { footer_text: "IBAN PT50" }, {}],
];

describe.each(PAPERS)("on %s a mention is printed where it must be and nowhere else:", (paper) => {
  test.each(MENTIONS)("%s", async (mention, shown, hidden) => {
    expect(await printed(shown, { paper })).toContain(mention);
    expect(await printed(hidden, { paper })).not.toContain(mention);
  });
});

/** The printed name of each type, whether it serves as an invoice, and whether it shows its time of entry. */
const TYPES: Readonly<Record<DocType, readonly [name: string, invoice: boolean, time: boolean]>> = {
  FT: ["Fatura", true, false],
  FS: ["Fatura simplificada", true, false],
  FR: ["Fatura-recibo", true, false],
  NC: ["Nota de crédito", true, false],
  ND: ["Nota de débito", true, false],
  RC: ["Recibo", false, false],
  GT: ["Guia de transporte", false, true],
  GR: ["Guia de remessa", false, true],
  NDV: ["Nota de devolução", false, true],
  OR: ["Orçamento", false, true],
};

describe.each(PAPERS.flatMap((paper) => DOC_TYPES.map((type) => [type, paper] as const)))(
  "%s on %s",
  (doc_type, paper) => {
    const [name, invoice, time] = TYPES[doc_type];

    test("prints its name, its number and a QR code that scans to its exact text, in a valid file", async () => {
      const { qr_code } = sample();
      const bytes = await printDocument(sample({ doc_type, number: `${doc_type} 2026A/17` }), { paper });
      expect(pagesOf(bytes)).toHaveLength(1);
      expect(textOf(bytes)).toContain(`${name} ${doc_type} 2026A/17`);
      expect(codesOf(bytes, 1)).toEqual([qr_code]);
      expect(checkFile(bytes)).toContain("No syntax or stream encoding errors found");
    });

    test(`${invoice ? "serves" : "states that it does not serve"} as an invoice`, async () => {
      expect((await printed({ doc_type }, { paper })).includes("Este documento não serve de fatura")).toBe(!invoice);
    });

    test(`shows ${time || paper === "80mm" ? "its time of entry" : "the date alone"}`, async () => {
      const before = { issue_date: day("2026-11-20") };
      const text = await printed({ doc_type, ...before }, { paper });
      expect(text.includes("Data e hora 21-11-2026 10:31:07")).toBe(time || paper === "80mm");
      expect(text).toContain("Data de emissão 20-11-2026");
    });
  },
);

test("a cancelled document has a watermark on every page, an issued one has none", async () => {
  const lines = Array<PrintableLine>(60).fill(line());
  const marks = (bytes: Uint8Array) => wordsOf(bytes).filter(({ top, bottom }) => bottom - top > 50);
  const bytes = await printDocument(sample({ ...cancelled, lines }));
  expect(new Set(marks(bytes).map(({ page }) => page)).size).toBe(pagesOf(bytes).length);
  expect(marks(await printDocument(sample({ lines })))).toEqual([]);
});

test.each(PAPERS)("on %s a country has its name, in the language of the page, and Portugal none", async (paper) => {
  const abroad = { ...sample().customer, country: "es", city: "Madrid" };
  const place = { address: "Rue 1", postal_code: null, city: "Lyon", country: "FR" };
  const more = { customer: abroad, transport: { ...transport, from: place } };
  const [pt, en] = [await printed(more, { paper }), await printed(more, { paper, lang: "en" })];
  for (const name of ["Espanha", "França"]) expect(pt).toContain(name);
  for (const name of ["Spain", "France"]) expect(en).toContain(name);
  for (const text of [pt, en]) expect(text).not.toMatch(/\b(?:ES|FR|PT|Portugal)\b/);
  expect(await printed({ customer: { ...abroad, country: "Marte" } }, { paper })).toContain("Marte");
});

test("a training document shows nothing of the company, not even its logo", async () => {
  const text = await printed({ training: true });
  for (const own of ["Padaria Central", "Rua do Forno", "Mafra 2640"]) expect(text).not.toContain(own);
  const logo = pngOf({ width: 40, height: 20 });
  const pictures = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1").includes("/Subtype /Image");
  expect(pictures(await printDocument(sample({ logo })))).toBe(true);
  expect(pictures(await printDocument(sample({ logo, training: true })))).toBe(false);
});

describe("copies", () => {
  test("are complete sets, each with its label, its page numbers and its QR code", async () => {
    const bytes = await printDocument(sample(), { copies: 4 });
    const pages = pagesOf(bytes);
    const names = ["Original", "Duplicado", "Triplicado", "Quadruplicado"];
    expect(pages.map((page) => names.filter((name) => page.includes(name)))).toEqual(names.map((name) => [name]));
    for (const [index, page] of pages.entries()) {
      expect(page).toContain("Página 1 de 1");
      expect(codesOf(bytes, index + 1)).toEqual([sample().qr_code]);
    }
  });

  test("of a document that goods travel with say from the fourth on, and only there, that they are not valid for transport", async () => {
    const mention = "Cópia de documento não válida para os fins previstos no regime de bens em circulação";
    const lines = Array<PrintableLine>(60).fill(line({ unit_price_micros: 0 }));
    const said = async (more: Partial<PrintableDocument>, options: PrintOptions) =>
      pagesOf(await printDocument(sample(more), { copies: 4, ...options })).map((page) =>
        page.replace(/\s+/g, " ").includes(mention),
      );
    for (const paper of PAPERS) {
      for (const options of [{}, { copy: true }, { lang: "en" }] as const) {
        const guide = await said({ doc_type: "GT", lines, transport }, { paper, ...options });
        const pages = guide.length / 4;
        expect(pages, paper).toBeGreaterThan(paper === "A4" ? 1 : 0);
        expect(guide).toEqual(guide.map((_, page) => page >= 3 * pages));
        expect(await said({}, { paper, ...options })).toEqual([false, false, false, false]);
      }
      expect(await said({ doc_type: "GT", transport }, { paper, copies: 3 })).toEqual([false, false, false]);
    }
    expect(textOf(await printDocument(sample({ transport }), { copies: 4, lang: "en" }))).toContain(
      `${mention} (copy of no use to goods in transit)`,
    );
  });

  test("a second print is marked as such and not as the original", async () => {
    const first = await printed();
    const second = await printed({}, { copy: true });
    expect([first.includes("Original"), first.includes("2.ª via")]).toEqual([true, false]);
    expect([second.includes("Original"), second.includes("2.ª via")]).toEqual([false, true]);
  });
});

describe("in English", () => {
  test("labels and the format of numbers are English", async () => {
    const text = await printed({ lines: [line({ unit_price_micros: 1_234_560_000 })] }, { lang: "en" });
    for (const words of [
      "Date of issue 2026-11-21",
      "Invoice FT 2026A/17",
      "Tax ID 501442600",
      "1,234.56",
      "2,469.12",
      "23%",
      "Page 1 of 1",
    ]) {
      expect(text).toContain(words);
    }
    expect(await printed({ lines: [line({ unit_price_micros: 1_234_560_000 })] })).toContain("1 234,56 23 % 2 469,12");
  });

  test("mentions prescribed by law stay in Portuguese", async () => {
    const text = await printed({ ...strict, ...cashVat, ...cancelled, training: true }, { lang: "en", copy: true });
    for (const mention of [
      "mc2X-Processado por programa certificado n.º 9999/AT",
      "IVA - regime de caixa",
      "Documento emitido para fins de Formação",
      "2.ª via",
      "ANULADO",
    ]) {
      expect(text).toContain(mention);
    }
    expect(await printed({ doc_type: "OR" }, { lang: "en" })).toContain("Este documento não serve de fatura");
  });
});

test("printing the same document twice gives the same bytes, printing another gives different ones", async () => {
  const print = async (more = {}) => Buffer.from(await printDocument(sample(more), { copies: 2 }));
  expect((await print()).equals(await print())).toBe(true);
  expect((await print()).equals(await print({ notes: "x" }))).toBe(false);
});
