/** What is printed at a till and how, and documents that are not like most: goods travel with them, or cash VAT. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { textOf } from "../core/print/reading.ts";
import { focusName, tabTo, type Visitor, visit } from "./support/browser.ts";
import { issuedNumber, printsOf, ringUp, watchPrints } from "./support/hands.ts";
import { confirm, type Office, officeOf, openOffice, useShop } from "./support/office.ts";
import { openShop } from "./support/shop.ts";

const home = useShop();

interface Made {
  readonly id: string;
  readonly number: string;
}

const atShop = <Value>(stay: (visitor: Visitor & { readonly office: Office }) => Promise<Value>) =>
  visit(home.shop.url, { cookies: home.cookies }, (visitor) =>
    stay({ ...visitor, office: officeOf(visitor.context, home.shop.url) }),
  );

const today = () => new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Lisbon" }).format();
const plain = (text: string) => text.replaceAll("\u00a0", " ");

/** Issues a document without the page, into the series that is usual or into one that is named. */
async function issue(office: Office, doc_type: string, eur: number, fields: Record<string, unknown>): Promise<Made> {
  const path = `/v1/series?doc_type=${doc_type}&current=true`;
  const { data } = await office.read<{ data: readonly { id: string }[] }>(path);
  const lines = [{ description: "Bolo de anos", qty: 1, unit_price_gross: eur, tax_rate: 23 }];
  const document = { doc_type, series_id: data[0]?.id, issue_date: today(), lines, issue: true, ...fields };
  return office.send("POST", "/v1/documents", document);
}

/** A document by its number, as it was issued. */
async function found(office: Office, number: string): Promise<{ readonly customer_id: string }> {
  const path = `/v1/documents?number=${encodeURIComponent(number)}`;
  const { data } = await office.read<{ data: readonly { customer_id: string }[] }>(path);
  return data[0] as { customer_id: string };
}

/** Presses keys one after another, or types what is none. */
async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await (/^(?:Enter|Space|F\d|Control\+\w+)$/.test(key) ? page.keyboard.press(key) : page.keyboard.type(key));
  }
}

/** Waits until the focus is where keys should go. */
const at = (page: Page, field: RegExp) => expect.poll(() => focusName(page), { timeout: 60_000 }).toMatch(field);

const makeCustomer = async (office: Office, fields: Record<string, unknown>): Promise<string> =>
  (await office.send<{ id: string }>("POST", "/v1/customers", fields)).id;

// ——— Printing ———

/** What the program answers to each print, as text. */
async function answersTo(page: Page): Promise<readonly string[]> {
  const texts: string[] = [];
  await page.route(/\/prints$/, async (route) => {
    const response = await route.fetch();
    texts.push(textOf(await response.body()));
    await route.fulfill({ response });
  });
  return texts;
}

/** Presses the keys that print, and answers what was printed then. */
async function printed(page: Page, texts: readonly string[]): Promise<string> {
  const before = texts.length;
  await page.keyboard.press("Control+P");
  await expect.poll(() => texts.length).toBe(before + 1);
  return texts[before] as string;
}

test("Ctrl+P prints the receipt with the cash handed over and the change, and leaves neither window nor focus behind", () =>
  atShop(async ({ page, context }) => {
    await watchPrints(page);
    const texts = await answersTo(page);
    await page.goto("/area/new?type=FS");
    await ringUp(page, "pão");
    await page.keyboard.type("2");
    await page.keyboard.press("Enter");
    await issuedNumber(page);
    for (const [name, said] of [
      ["Original", "Numerário · DATE 1,15 Entregue em numerário 2,00 Troco 0,85"],
      ["2.ª via", "Entregue em numerário 2,00 Troco 0,85"],
    ] as const) {
      const text = await printed(page, texts);
      expect(text).toContain(name);
      expect(text).toContain(said.replace("DATE", today().split("-").reverse().join("-")));
    }
    await expect.poll(async () => (await printsOf(page)).length).toBe(2);
    expect((await printsOf(page)).every((address) => address.startsWith("blob:"))).toBe(true);
    expect(await page.locator("iframe").count()).toBe(1);
    expect(context.pages()).toHaveLength(1);
    expect(await focusName(page)).toMatch(/^Novo documento/);
  }));

test("a sale of the exact sum, or by card, prints no change", () =>
  atShop(async ({ page }) => {
    await watchPrints(page);
    const texts = await answersTo(page);
    for (const key of ["", "c"]) {
      await page.goto("/area/new?type=FS");
      await ringUp(page, "pão");
      await page.keyboard.type(key);
      await page.keyboard.press("Enter");
      await issuedNumber(page);
      const text = await printed(page, texts);
      expect(text).toContain("Total (EUR) 1,15");
      expect(text).not.toMatch(/Troco|Entregue/);
    }
  }));

test("the page of a document prints it the same way, and the history says so", () =>
  atShop(async ({ page, context, office }) => {
    const { id } = await issue(office, "FT", 10, { customer_id: await makeCustomer(office, { name: "Zé" }) });
    await watchPrints(page);
    await page.goto(`/area/documents/${id}`);
    await page.getByRole("button", { name: "Imprimir" }).waitFor();
    await page.keyboard.press("Control+P");
    await page.getByText("Original impresso").waitFor();
    expect(await printsOf(page)).toHaveLength(1);
    await page.getByRole("button", { name: "Talão" }).click();
    await expect.poll(async () => (await printsOf(page)).length).toBe(2);
    expect(context.pages()).toHaveLength(1);
  }));

test("a browser that shows no PDF, or lets no frame be printed, opens a window", () =>
  atShop(async ({ page, context, office }) => {
    const { id } = await issue(office, "FT", 10, { customer_id: await makeCustomer(office, { name: "Zé" }) });
    const opened = async () => {
      await page.goto(`/area/documents/${id}`);
      const [shown] = await Promise.all([
        context.waitForEvent("page"),
        page.getByRole("button", { name: "Imprimir" }).click(),
      ]);
      await expect.poll(() => shown.url()).toMatch(/^blob:/);
      await shown.close();
      expect(await printsOf(page)).toEqual([]);
    };
    await watchPrints(page, { isBarred: true });
    await opened();
    await page.addInitScript(() => Object.defineProperty(navigator, "pdfViewerEnabled", { get: () => false }));
    await opened();
    expect(await page.locator("iframe").count()).toBe(0);
  }));

// ——— Who owes, and whose number it is ———

test("amounts owed by nobody in particular are shown apart from debtors", () =>
  atShop(async ({ page, office }) => {
    const series = await office.read<{ data: readonly { id: string }[] }>("/v1/series?doc_type=FS&current=true");
    const counter = await makeCustomer(office, { name: "Consumidor final", tax_id: "999999990" });
    await issue(office, "FT", 30, { customer_id: await makeCustomer(office, { name: "Berta Fialho" }) });
    const nameless = await makeCustomer(office, { name: "Consumidor final", tax_id: "234567899" });
    for (const customer_id of [counter, counter, nameless]) {
      await issue(office, "FS", 7, { customer_id, series_id: series.data[0]?.id });
    }
    await page.goto("/area");
    const owed = page.locator("section", { has: page.getByRole("heading", { name: "Quem deve" }) });
    await owed.getByRole("row", { name: "Berta Fialho" }).filter({ hasText: "30,00" }).waitFor();
    const named = owed.getByRole("row", { name: "Consumidor final" });
    expect(plain((await named.allInnerTexts()).join())).toMatch(/NIF 234567899[\s\S]*7,00 €/);
    expect(plain(await owed.innerText())).toContain("Vendas a consumidor final por pagar: 14,00 €, em 2 documentos");
    await owed.getByRole("link", { name: /^Vendas a consumidor final por pagar/ }).click();
    await expect.poll(() => page.getByRole("row", { name: "Consumidor final" }).count()).toBe(2);
  }));

test("a company's number can be changed until documents bear it, and then the page says why not; a missing logo is no fault", () =>
  atShop(async ({ page, office }) => {
    await issue(office, "FT", 5, { customer_id: await makeCustomer(office, { name: "Ivo" }) });
    await page.goto("/area/settings");
    const number = page.getByLabel(/^NIF/);
    await page.getByText(/^Já há documentos com este NIF/).waitFor();
    expect(await number.getAttribute("readonly")).not.toBeNull();
    await page.getByText("Ainda sem logótipo.").waitFor();

    const shop = await openShop();
    try {
      await visit(shop.url, {}, async ({ page, context }) => {
        await openOffice(context, shop);
        await page.goto("/area/settings");
        await page.getByText("✓ O NIF está bem escrito.").waitFor();
        expect(await page.getByLabel(/^NIF/).getAttribute("readonly")).toBeNull();
      });
    } finally {
      await shop.close();
    }
  }));

// ——— Goods that travel with an invoice ———

test("an invoice carries its transport where somebody says so, and is printed in triplicate", () =>
  atShop(async ({ page, office }) => {
    const town = { address: "Largo do Rato 2", postal_code: "1250-186", city: "Lisboa" };
    await makeCustomer(office, { name: "Restaurante do Rato", ...town });
    await watchPrints(page);
    const texts = await answersTo(page);
    await page.goto("/area/new?type=FT");
    await at(page, /^Artigo/);
    await press(page, "F2", "restaurante", "Enter");
    await at(page, /^Artigo/);
    await press(page, "2*pão", "Enter");
    expect(await page.getByRole("heading", { name: "Transporte" }).count()).toBe(0);
    await page.getByText("Data, desconto, observações…").focus();
    await press(page, "Enter");
    const travels = page.getByLabel(/^A mercadoria segue com este documento/);
    await tabTo(page, /^A mercadoria segue/);
    await press(page, "Space");
    const places = page.locator(".places fieldset");
    await expect
      .poll(() =>
        places
          .last()
          .getByLabel(/^Morada/)
          .inputValue(),
      )
      .toBe(town.address);
    await places
      .last()
      .getByLabel(/^Morada/)
      .fill("");
    await places.last().getByLabel("Localidade").fill("");
    await press(page, "Control+Enter");
    await page.getByText("Escreva o local de descarga.").waitFor();
    await travels.uncheck();
    await travels.check();
    await places
      .last()
      .getByLabel(/^Morada/)
      .fill("Rua Nova 9");
    await page.getByLabel("Matrícula").fill("aa-11-bb");

    // It survives a reload, and so does what was typed over the place.
    await page.reload();
    await at(page, /^Artigo/);
    await press(page, "Control+Enter");
    await page.getByRole("dialog").waitFor();
    await press(page, "Enter");
    const number = await issuedNumber(page);
    const text = await printed(page, texts);
    for (const said of ["Original", "Duplicado", "Triplicado", "Local de descarga", "Rua Nova 9", "AA-11-BB"]) {
      expect(text).toContain(said);
    }
    await page.getByRole("link", { name: "Ver documento" }).click();
    await page.getByRole("button", { name: "Imprimir em triplicado" }).waitFor();
    await page.getByRole("button", { name: "Registar código da AT" }).click();
    await page.getByRole("dialog").getByLabel("Código").fill("1234567890");
    await press(page, "Enter");
    await page.getByText("Código da AT registado.").waitFor();

    // The control: nobody said so.
    const customer_id = (await found(office, number)).customer_id;
    const { id } = await issue(office, "FT", 5, { customer_id });
    await page.goto(`/area/documents/${id}`);
    await page.getByRole("button", { name: "Talão" }).waitFor();
    expect(await page.getByRole("button", { name: /triplicado|código da AT/ }).count()).toBe(0);
  }));

// ——— Cash VAT ———

test("a receipt of an invoice under cash VAT goes into its series and states the rates of the invoice", async () => {
  const shop = await openShop();
  try {
    await visit(shop.url, {}, async ({ page, context }) => {
      const office = await openOffice(context, shop);
      await confirm(office);
      await office.send("PATCH", "/area/v1/company", { cash_vat: true });
      const customer_id = await makeCustomer(office, { name: "Café Central, Lda.", tax_id: "503504564" });
      const { id: series_id } = await office.send<Made>("POST", "/v1/series", {
        doc_type: "FT",
        code: "CX2026",
        cash_vat: true,
      });
      const lines = [23, 6].map((tax_rate) => ({
        description: `A ${tax_rate} %`,
        qty: 1,
        unit_price_net: 100,
        tax_rate,
      }));
      const invoice = await issue(office, "FT", 0, { customer_id, series_id, lines });
      await page.goto("/area");
      await page.getByText(/Há documentos sem ATCUD.*: FT CX2026/).waitFor();

      await page.goto(`/area/new?type=RC&from=${invoice.id}`);
      await page.getByText("Não há nenhuma série aberta para recibo em IVA de caixa").waitFor();
      const opened = { doc_type: "RC", code: "CX2026", cash_vat: true };
      const series = await office.send<Made>("POST", "/v1/series", opened);
      await page.goto("/area");
      await page.getByText(/Comunique estas séries.*: RC CX2026/).waitFor();
      await office.send("PATCH", `/v1/series/${series.id}`, { validation_code: "AAJCXVT54Q" });

      await page.goto(`/area/new?type=RC&from=${invoice.id}`);
      await page.getByText(/^IVA de caixa: o recibo leva o IVA/).waitFor();
      const amount = page.getByLabel(`Valor recebido, ${invoice.number}`);
      expect(await amount.inputValue()).toBe("229,00");
      await amount.fill("100");
      await press(page, "Control+Enter");
      await page.getByRole("dialog").getByText("100,00 €").first().waitFor();
      await press(page, "Enter");
      expect(await issuedNumber(page)).toBe("RC CX2026/1");
      await page.getByRole("link", { name: "Ver documento" }).click();
      const totals = page.locator(".totals");
      await totals.getByText("IVA a 23 %").waitFor();
      const said = plain(await totals.innerText());
      expect(said).toMatch(/^Total\s+100,00 €/);
      expect(said).toMatch(/IVA a 6 % de 43,66 €\s+2,62 €/);
      expect(said).toMatch(/IVA a 23 % de 43,67 €\s+10,05 €/);
      await page.getByRole("rowheader", { name: `${invoice.number}, IVA 6 %` }).waitFor();

      // What is under no cash VAT has a receipt outside it.
      const usual = await issue(office, "FT", 50, { customer_id });
      await page.goto(`/area/new?type=RC&from=${usual.id}`);
      await expect.poll(() => page.getByLabel(`Valor recebido, ${usual.number}`).inputValue()).toBe("50,00");
      expect(await page.getByText(/^IVA de caixa: o recibo/).count()).toBe(0);
      await press(page, "Control+Enter");
      await page.getByRole("dialog").waitFor();
      await press(page, "Enter");
      expect(await issuedNumber(page)).toBe("RG 2026A/1");
    });
  } finally {
    await shop.close();
  }
});
