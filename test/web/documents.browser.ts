/** Documents after they were issued: found, exported, paid, voided, cancelled, and what is told of it. */
import { readFileSync } from "node:fs";
import type { Page, Route } from "playwright-core";
import { expect, test } from "vitest";
import { visit } from "./support/browser.ts";
import { issuedNumber, sell } from "./support/hands.ts";
import { type Office, officeOf, useShop } from "./support/office.ts";

const home = useShop();

interface Issued {
  readonly id: string;
  readonly number: string;
  readonly customer_id: string;
}

/** An invoice over 123.00 € to a customer of this name, and a draft beside it. */
async function anInvoice(office: Office, name: string): Promise<Issued> {
  const { id: customer_id } = await office.send<{ id: string }>("POST", "/v1/customers", { name });
  const draft = { ...(await aDraft(office, "FT")), customer_id };
  await office.send("POST", "/v1/documents", draft);
  return office.send("POST", "/v1/documents", { ...draft, issue: true });
}

/** Takes back all of an invoice. */
async function credit(office: Office, { id, customer_id }: Issued): Promise<void> {
  const references = [{ document_id: id, reason: "Devolução" }];
  await office.send("POST", "/v1/documents", { ...(await aDraft(office, "NC")), customer_id, references, issue: true });
}

/** A document of a type, of today, in the series that is usual. */
async function aDraft(office: Office, doc_type: string) {
  const series = await office.read<{ data: readonly { id: string }[] }>(`/v1/series?doc_type=${doc_type}&current=true`);
  return { ...DRAFT, doc_type, series_id: series.data[0]?.id, issue_date: today() };
}

const DRAFT = {
  lines: [{ description: "Bolo de anos", qty: 1, unit_price_net: 100, tax_rate: 23 }],
};

/** Today in Lisbon. */
const today = () => new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Lisbon" }).format();

const paymentsOf = async (office: Office, { id }: Issued) =>
  (await office.read<{ payments: readonly { amount: number }[] }>(`/v1/documents/${id}`)).payments.length;

/** Presses the button of a dialog. */
const press = (page: Page, name: RegExp) => page.getByRole("dialog").getByRole("button", { name }).click();

/** Saves what is listed: the name of the file, and its lines. */
async function save(page: Page): Promise<{ readonly name: string; readonly lines: readonly string[] }> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Exportar CSV" }).click(),
  ]);
  return { name: download.suggestedFilename(), lines: readFileSync(await download.path(), "utf8").split("\r\n") };
}

/** Opens the dialog that records a payment, and types an amount. */
async function typePayment(page: Page, { id }: Issued, amount: string): Promise<void> {
  await page.goto(`/area/documents/${id}`);
  await page.getByRole("button", { name: "Registar pagamento" }).click();
  await page.getByLabel(/^Valor recebido/).fill(amount);
}

/** The server gets the first of these requests, and its answer is lost. */
async function loseFirstAnswer(page: Page, change: (route: Route) => Promise<object>): Promise<void> {
  let isOver = false;
  await page.route(/\/payments$/, async (route) => {
    if (isOver || route.request().method() !== "POST") return route.continue(await change(route));
    isOver = true;
    await route.fetch(await change(route));
    return route.abort("connectionreset");
  });
}

test("a payment whose answer was lost is asked about again, and recorded once", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const invoice = await anInvoice(office, "Ana");
    await loseFirstAnswer(page, async () => ({}));
    await typePayment(page, invoice, "23,00");
    await page.keyboard.press("Enter");
    await page.getByText("não se sabe se ficou registado").waitFor();
    expect(await page.getByLabel(/^Valor recebido/).isDisabled()).toBe(true);
    await press(page, /^Enviar outra vez/);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByText("Falta pagar").waitFor();
    expect(await paymentsOf(office, invoice)).toBe(1);
  });
});

test("the control: without its key it is recorded twice", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const invoice = await anInvoice(office, "Rui");
    await loseFirstAnswer(page, async (route) => {
      const { "idempotency-key": _, ...headers } = await route.request().allHeaders();
      return { headers };
    });
    await typePayment(page, invoice, "23,00");
    await page.keyboard.press("Enter");
    await press(page, /^Enviar outra vez/);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await paymentsOf(office, invoice)).toBe(2);
  });
});

test("the history of a document is in words, with who did what", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context, allow }) => {
    const office = officeOf(context, home.shop.url);
    const invoice = await anInvoice(office, "Maria");
    await typePayment(page, invoice, "mil");
    await page.keyboard.press("Enter");
    await page.getByText("Escreva um valor em euros").waitFor();
    await page.getByLabel(/^Valor recebido/).fill("124");
    allow(`409 /v1/documents/${invoice.id}/payments`, `409 /v1/documents/${invoice.id}/cancel`);
    await page.keyboard.press("Enter");
    await page.getByText("Só falta pagar 123,00 €").waitFor();
    await page.getByLabel(/^Valor recebido/).fill("123");
    await page.keyboard.press("Enter");
    await page.locator(".tag.good", { hasText: "Pago" }).waitFor();

    const cancel = page.locator(".others").getByRole("button", { name: "Anular" });
    await cancel.click();
    await page.getByLabel("Motivo").fill("NIF errado");
    await press(page, /^Anular/);
    await page.getByText("O documento tem pagamentos").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Anular o pagamento de 123,00 €" }).click();
    await press(page, /^Anular pagamento/);
    await page.getByText("Ainda não há pagamentos.").waitFor();
    await cancel.click();
    await page.getByLabel("Motivo").fill("NIF errado");
    await press(page, /^Anular/);
    await page.getByText("Anulado: NIF errado").waitFor();

    const history = await page.locator(".history li").allInnerTexts();
    const told = history.map((entry) => entry.replaceAll("\u00a0", " ").replace(/\d\d\/\d\d\/\d{4}, \d\d:\d\d/, "…"));
    expect(told.map((entry) => entry.split("\n"))).toEqual([
      ["Anulado: NIF errado", "… · Ana Conceição"],
      ["Pagamento anulado: 123,00 €", "… · Ana Conceição"],
      ["Pagamento registado: 123,00 €", "… · Ana Conceição"],
      ["Emitido", "… · Ana Conceição"],
    ]);
  });
});

test("documents are found while typing, and the search and the filters stay in the address", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const { number } = await anInvoice(office, '=Padaria; do "Bairro"');
    await page.goto("/area/documents");
    const field = page.getByRole("searchbox", { name: /^Procurar/ });
    await field.pressSequentially("bairr");
    const rows = page.locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(2); // The invoice and the draft beside it.
    await page.getByRole("combobox", { name: /^Estado/ }).selectOption("issued");
    await expect.poll(() => rows.count()).toBe(1);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(1);

    const { name, lines } = await save(page);
    expect(name).toBe(`documentos-${today()}.csv`);
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(`${number};Fatura;Emitido;`);
    expect(lines[1]).toContain(`"'=Padaria; do ""Bairro""";;100,00;23,00;123,00;Por pagar;123,00;`);

    await rows.getByRole("link").press("Enter");
    await page.getByRole("heading", { level: 1, name: number }).waitFor();
    await page.goBack();
    await expect.poll(() => rows.count()).toBe(1);
    await field.fill(number.toLowerCase());
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: number }).waitFor();
  });
});

test("documents are found by their total and by the products sold, and Enter opens the only one found", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const draft = await aDraft(office, "FT");
    const { id: product_id } = await office.send<{ id: string }>("POST", "/v1/products", {
      name: "Tarte de amêndoa",
      unit_price_gross: 12.5,
      tax_rate: 23,
    });
    const { id: customer_id } = await office.send<{ id: string }>("POST", "/v1/customers", { name: "Tia Olga" });
    const lines = [{ description: "Tarte", qty: 97, unit_price_gross: 12.5, tax_rate: 23, product_id }];
    const { number } = await office.send<Issued>("POST", "/v1/documents", {
      ...draft,
      customer_id,
      lines,
      issue: true,
    });
    await page.goto("/area/documents");
    const field = page.getByRole("searchbox", { name: /^Procurar/ });
    const rows = page.locator("tbody tr");
    for (const typed of ["1.212,50", "1212,5", "amendoa", "olga"]) {
      await field.fill(typed);
      await page.getByRole("rowheader", { name: number }).waitFor();
      await expect.poll(() => rows.count()).toBe(1);
    }
    await field.fill("nada disto");
    await page.getByText("Nenhum documento corresponde à procura.").waitFor();
    await field.fill("amêndoa");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: number }).waitFor();
  });
});

test("a search that finds more than it shows says so", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const { id: customer_id } = await office.send<{ id: string }>("POST", "/v1/customers", { name: "Quermesse" });
    const draft = { ...(await aDraft(office, "OR")), customer_id };
    for (let i = 0; i < 50; i++) await office.send("POST", "/v1/documents", draft);
    await page.goto("/area/documents?search=quermesse");
    await expect.poll(() => page.locator("tbody tr").count()).toBe(50);
    expect(await page.getByText("Há mais documentos assim").count()).toBe(0);
    await page.getByRole("button", { name: "Exportar CSV" }).waitFor();
    await office.send("POST", "/v1/documents", draft);
    await page.reload();
    await page.getByText("Há mais documentos assim").waitFor();
    expect(await page.getByRole("button", { name: "Exportar CSV" }).count()).toBe(0);
  });
});

test("the payments of a month are listed and exported, and so are its documents", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const { id, number } = await anInvoice(office, "Rui");
    for (const [amount, payment_date] of [
      [10, "2025-02-28"],
      [20.5, "2025-02-01"],
      [30, "2025-03-01"],
    ]) {
      await office.send("POST", `/v1/documents/${id}/payments`, { amount, method_code: "MB", payment_date });
    }
    await page.goto("/area/payments");
    const rows = page.locator("tbody tr");
    await page.getByLabel("De", { exact: true }).fill("2025-02-01");
    await page.getByLabel("Até", { exact: true }).fill("2025-02-28");
    await expect.poll(() => rows.count()).toBe(2);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(2);
    const { name, lines } = await save(page);
    expect(name).toBe("pagamentos-2025-02-01-2025-02-28.csv");
    await page.getByText("2 pagamentos exportados.").waitFor();
    expect(lines[0]).toBe("\ufeffDocumento;Recebido em;Meio;Valor;Registado por;Registado em");
    expect(lines[1]).toMatch(`${number};28/02/2025;Referência Multibanco;10,00;Ana Conceição;`);
    expect(lines[2]).toMatch(`${number};01/02/2025;Referência Multibanco;20,50;Ana Conceição;`);
    expect(lines).toHaveLength(4);

    await page.getByLabel("De", { exact: true }).fill("2025-02-02");
    await page.getByLabel("Até", { exact: true }).fill("2025-02-27");
    await page.getByText("Nenhum pagamento corresponde aos filtros.").waitFor();
    expect(await page.getByRole("button", { name: "Exportar CSV" }).count()).toBe(0);
    await page.getByRole("button", { name: "Limpar filtros" }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(2);
    expect((await save(page)).name).toBe(`pagamentos-${today()}.csv`);

    await page.goto(`/area/documents?from=${today()}&to=${today()}`);
    expect((await save(page)).name).toBe(`documentos-${today()}-${today()}.csv`);
  });
});

test("in the file a credit note subtracts, and a cancelled document counts nothing", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const invoice = await anInvoice(office, "Soma Certa, Lda.");
    const { customer_id } = invoice;
    await credit(office, invoice);
    const wrong = { ...(await aDraft(office, "FT")), customer_id, issue: true };
    const cancelled = await office.send<Issued>("POST", "/v1/documents", wrong);
    await office.send("POST", `/v1/documents/${cancelled.id}/cancel`, { reason: "Engano" });
    await page.goto(`/area/documents?customer_id=${customer_id}&from=2000-01-01`);
    const { lines } = await save(page);
    const nets = lines
      .slice(1, -1)
      .map((row) => row.split(";"))
      .filter(([number]) => number !== "")
      .map((cells) => cells[7]);
    expect(nets.toSorted()).toEqual(["-100,00", "0,00", "100,00"]);
  });
});

test("a product priced with VAT is sold at the price on the shelf, and the line says so", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    await page.goto("/area/new?type=FS");
    const number = await sell(page, "2*pão");
    const office = officeOf(context, home.shop.url);
    const { data } = await office.read<{ data: readonly { id: string }[] }>(
      `/v1/documents?number=${encodeURIComponent(number)}`,
    );
    const { lines, total_gross } = await office.read<{
      lines: readonly { unit_price_net: number; unit_price_gross: number }[];
      total_gross: number;
    }>(`/v1/documents/${data[0]?.id}`);
    expect(lines).toMatchObject([{ unit_price_net: 1.084906, unit_price_gross: 1.15 }]);
    expect(total_gross).toBe(2.3);
  });
});

test("going back asks before written lines are lost", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page }) => {
    await page.goto("/area/documents");
    await page.getByRole("link", { name: "Novo documento" }).last().click();
    await page.getByRole("combobox", { name: /^Artigo/ }).fill("pão");
    await page.keyboard.press("Enter");
    const line = page.getByRole("button", { name: "Retirar Pão de Mafra" });
    await line.waitFor();

    const answers = ["stay", "leave"];
    page.on("dialog", (asked) => (answers.shift() === "leave" ? asked.accept() : asked.dismiss()));
    await page.evaluate(() => history.back());
    await expect.poll(() => answers).toEqual(["leave"]);
    await line.waitFor();
    expect(new URL(page.url()).pathname).toBe("/area/new");

    await page.evaluate(() => history.back());
    await page.getByRole("heading", { level: 1, name: "Documentos" }).waitFor();
    expect(answers).toEqual([]);
  });
});

test("a month is marked as sent after a question, and says so from then on", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    await anInvoice(officeOf(context, home.shop.url), "Inês");
    await page.goto(`/area/saft?month=${today().slice(0, 7)}`);
    const mark = page.getByRole("button", { name: "Marcar como comunicado" });
    await mark.click();
    await page.getByRole("dialog").getByRole("button", { name: "Voltar" }).click();
    await page.getByText("Em curso").waitFor();
    await mark.click();
    await page.getByRole("dialog").getByRole("button", { name: "Marcar como comunicado" }).click();
    await page.getByText(/^Comunicado em .* por Ana Conceição$/).waitFor();
    await page.getByRole("button", { name: /^Ver/ }).click();
    await page.getByText(/^Comunicado em /).waitFor();
    expect(await mark.count()).toBe(0);
  });
});

test("a month's file says the sum of sales, with credit notes subtracted", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const invoice = await anInvoice(office, "Rita");
    await credit(office, invoice);
    await anInvoice(office, "Rita");
    await page.goto(`/area/saft?month=${today().slice(0, 7)}`);
    await page.getByRole("rowheader", { name: "Vendas no total" }).waitFor();
    const rows = await page.getByRole("table", { name: "O que contém" }).locator("tbody tr").all();
    const cents = new Map<string, number>();
    for (const row of rows) {
      const cells = await row.locator("th, td").allInnerTexts();
      cents.set(cells[0] ?? "", Number(cells.at(-1)?.replaceAll(/[^\d-]/g, "")));
    }
    const of = (type: string) => cents.get(type) ?? 0;
    expect(of("NC")).toBeGreaterThan(0);
    expect(of("FT")).toBeGreaterThan(of("NC"));
    expect(of("Vendas no total")).toBe(of("FT") + of("FS") - of("NC"));
  });
});

test("what waits for a person stands at home and beside the backups", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    await anInvoice(officeOf(context, home.shop.url), "Eva");
    for (const path of ["/area", "/area/state"]) {
      await page.goto(path);
      await page.getByRole("heading", { name: "A fazer" }).waitFor();
      await page.getByText(/^Faça uma cópia de segurança/).waitFor();
    }
  });
});

test("a customer and a product that are not there are made in place, and the document is issued with them", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page }) => {
    await page.goto("/area/new?type=FT");
    await page.waitForFunction(() => document.activeElement?.id === "product-field");
    await page.keyboard.press("F2");
    await page.keyboard.type("Rosa Lima");
    await page.getByRole("option", { name: "Criar o cliente «Rosa Lima»" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("NIF").fill("123456789");
    await dialog.getByRole("button", { name: "Guardar" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.waitForFunction(() => document.activeElement?.id === "product-field");
    await page.keyboard.type("2*Folar");
    await page.getByRole("option", { name: "Criar o artigo «Folar»" }).click();
    await dialog.getByLabel(/^Preço/).fill("4,50");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Retirar Folar" }).waitFor();
    await page.waitForFunction(() => document.activeElement?.id === "product-field");
    await page.keyboard.press("Control+Enter");
    await dialog.getByText("Rosa Lima").waitFor();
    await dialog.getByText("9,00").first().waitFor();
    await page.keyboard.press("Enter");
    expect(await issuedNumber(page)).toMatch(/^FT /);
  });
});
