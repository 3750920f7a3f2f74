/** What the page says of money, and whom it lets do what: shown as it is, and asked before it cannot be undone. */
import { expect, test } from "vitest";
import { accessibility } from "./support/audit.ts";
import { type Cookies, visit } from "./support/browser.ts";
import { addUser, confirm, type Office, officeOf, openOffice, useShop } from "./support/office.ts";
import { openShop, type Shop } from "./support/shop.ts";

const home = useShop();

interface Made {
  readonly id: string;
  readonly number: string;
}

/** Today in Lisbon. */
const today = () => new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Lisbon" }).format();

/** Issues documents to one new customer of this name. */
async function issuerFor(office: Office, name: string) {
  const { id: customer_id } = await office.send<{ id: string }>("POST", "/v1/customers", { name });
  return async (doc_type: string, eur: number, fields: object = {}): Promise<Made> => {
    const path = `/v1/series?doc_type=${doc_type}&current=true`;
    const { data } = await office.read<{ data: readonly { id: string }[] }>(path);
    const lines = [
      { description: "Bolo de anos", qty: 1, unit_price_gross: eur, tax_rate: doc_type === "RC" ? 0 : 23 },
    ];
    const document = { doc_type, series_id: data[0]?.id, issue_date: today(), customer_id, lines };
    return office.send("POST", "/v1/documents", { ...document, issue: true, ...fields });
  };
}

const pay = (office: Office, { id }: Made, amount: number, method_code = "TB") =>
  office.send<{ id: string }>("POST", `/v1/documents/${id}/payments`, { amount, method_code, payment_date: today() });

/** The same with plain spaces. */
const plain = (text: string) => text.replaceAll("\u00a0", " ");

test("in the set-up Enter leaves no series without its code: that is a button of its own, neither red nor first", async () => {
  const shop = await openShop();
  try {
    await visit(shop.url, {}, async ({ page, context }) => {
      const office = await openOffice(context, shop, { registers: false });
      await page.addInitScript(() => sessionStorage.setItem("lacre.setup", "series"));
      await page.goto("/area/setup");
      await page.getByLabel("Código de RG").waitFor();
      const { data } = await office.read<{ data: readonly object[] }>("/v1/series?current=true");
      expect(await page.getByLabel(/^Código de /).count()).toBe(data.length);

      await page.getByLabel("Código de FS").press("Enter");
      const later = page.getByRole("button", { name: "Deixar para depois" });
      expect(await later.getAttribute("class")).toBe("plain");
      expect(await page.getByRole("button", { name: "Continuar" }).isDisabled()).toBe(true);

      await page.getByLabel("Código de RG").fill("AAJFJ2VT54");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "O primeiro artigo" }).waitFor();
      await page.getByRole("button", { name: /clientes e artigos de outro programa/ }).click();
      await page.getByText("Escolher ficheiro SAF-T…").waitFor();
    });
  } finally {
    await shop.close();
  }
});

test("a link for somebody else begins with the public address, or says that it opens on this computer only", async () => {
  const far = await openShop(["--public-url", "https://loja.pt/faturas"]);
  const made = (shop: Shop, cookies?: Cookies) =>
    visit(shop.url, { ...(cookies && { cookies }) }, async ({ page, context }) => {
      const office = cookies ? officeOf(context, shop.url) : await openOffice(context, shop);
      await confirm(office);
      await page.goto("/area/users");
      await page.getByRole("button", { name: "Convidar" }).click();
      await page.getByLabel("E-mail").fill("nuno@padaria.pt");
      await page.getByRole("button", { name: "Criar a ligação" }).click();
      const link = page.getByLabel("Envie esta ligação").and(page.locator("input"));
      await link.waitFor();
      const value = await link.inputValue();
      return [value.replace(/#.*/, ""), await page.getByText(/^Só abre neste computador.*--plain-http-lan/).count()];
    });
  try {
    expect(await made(home.shop, home.cookies)).toEqual([`${home.shop.url}/area/invitation`, 1]);
    expect(await made(far)).toEqual(["https://loja.pt/faturas/area/invitation", 0]);
  } finally {
    await far.close();
  }
});

test("a receipt proposes what no receipt acknowledges yet, by the means that were recorded", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const issue = await issuerFor(office, "Recibos, Lda.");
    const invoice = await issue("FT", 670.79);
    const references = [{ document_id: invoice.id }];
    await issue("NC", 4.8, { references });
    await issue("RC", 300, { references });
    await pay(office, invoice, 665.99, "CC");
    await page.goto(`/area/documents/${invoice.id}`);
    await page.getByRole("link", { name: "Recibo", exact: true }).click();
    await expect.poll(() => page.getByLabel(`Valor recebido, ${invoice.number}`).inputValue()).toBe("365,99");
    await page.keyboard.press("Control+Enter");
    const chosen = page.getByRole("dialog").locator("[aria-pressed=true]");
    await expect.poll(async () => (await chosen.allInnerTexts()).join()).not.toContain("Numerário");
    await page.keyboard.press("Enter");
    await page.locator("section.issued").waitFor();

    // Nothing is left to acknowledge.
    await page.goto(`/area/documents/${invoice.id}`);
    await page.getByRole("link", { name: "Nota de crédito" }).waitFor();
    expect(await page.getByRole("link", { name: "Recibo", exact: true }).count()).toBe(0);
  });
});

test("cancelling a receipt says before and after that the payment stays, and wants a reason", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const issue = await issuerFor(office, "Cheque Careca, Lda.");
    const invoice = await issue("FT", 670.79);
    const receipt = await issue("RC", 300, { references: [{ document_id: invoice.id }] });
    await pay(office, invoice, 300, "CH");
    await page.goto(`/area/documents/${receipt.id}`);
    await page.locator(".others").getByRole("button", { name: "Anular" }).click();
    const dialog = page.getByRole("dialog");
    const said = plain(await dialog.innerText());
    expect(said).toContain("anulá-lo não anula o pagamento");
    expect(said).toContain(`${invoice.number}: 300,00 €, Cheque,`);
    expect(said).not.toContain("nota de crédito");
    await dialog.getByRole("button", { name: "Anular" }).click();
    await dialog.getByText("Escreva porque o anula.").waitFor();
    await dialog.getByLabel("Motivo").fill("Cheque devolvido");
    await page.keyboard.press("Enter");
    await page.getByText("Estes pagamentos continuam registados.").waitFor();
    await page.locator(".state.warn").getByRole("link", { name: invoice.number }).click();
    await page.getByRole("button", { name: "Anular o pagamento de 300,00 €" }).waitFor();
  });
});

test("cancelling a receipt that recorded its payments asks what becomes of them", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const issue = await issuerFor(office, "Recebe e Regista, Lda.");
    const cancelled = async (choice: RegExp) => {
      const invoice = await issue("FT", 120);
      const references = [{ document_id: invoice.id }];
      const payments = [{ amount: 120, method_code: "TB", payment_date: today() }];
      const receipt = await issue("RC", 120, { references, payments, record_payments: true });
      await page.goto(`/area/documents/${receipt.id}`);
      await page.locator(".others").getByRole("button", { name: "Anular" }).click();
      const dialog = page.getByRole("dialog");
      const said = plain(await dialog.innerText());
      expect(said).toContain(`${invoice.number}: 120,00 €, Transferência`);
      expect(said).not.toContain("anulá-lo não anula o pagamento");
      await dialog.getByLabel("Motivo").fill("Engano");
      await page.keyboard.press("Enter");
      await dialog.getByText("Escolha o que acontece aos pagamentos.").waitFor();
      await dialog.getByRole("radio", { name: choice }).check();
      expect(await accessibility(page)).toEqual([]);
      expect(await dialog.getByText("Escolha o que acontece aos pagamentos.").count()).toBe(0);
      await dialog.getByRole("button", { name: "Anular" }).click();
      await page.getByText(/^Anulado em/).waitFor();
      const left = await page.getByText("Estes pagamentos continuam registados.").count();
      const { outstanding } = await office.read<{ outstanding: number }>(`/v1/documents/${invoice.id}`);
      return { left, outstanding };
    };
    expect(await cancelled(/^Anulam-se também/)).toEqual({ left: 0, outstanding: 120 });
    expect(await cancelled(/^Mantêm-se/)).toEqual({ left: 1, outstanding: 0 });
  });
});

test("a credit after payment is in the customer's favour wherever debts are shown", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const issue = await issuerFor(office, "Paga e Devolve, Lda.");
    const invoice = await issue("FT", 94.5);
    await pay(office, invoice, 94.5);
    await issue("NC", 94.5, { references: [{ document_id: invoice.id }] });
    await page.goto(`/area/documents/${invoice.id}`);
    const totals = page.locator(".totals");
    await totals.getByText("A favor do cliente").waitFor();
    expect(plain(await totals.innerText())).toMatch(/A favor do cliente\s+94,50 €/);
    for (const path of ["/documents", "/customers"]) {
      await page.goto(`/area${path}`);
      const row = page.getByRole("row", { name: "Paga e Devolve" }).filter({ hasText: "94,50 € a favor" });
      await row.waitFor();
    }
    await page.goto("/area");
    const favoured = page.getByRole("table", { name: "A favor de clientes" });
    await favoured.getByRole("row", { name: "Paga e Devolve" }).filter({ hasText: "94,50 €" }).waitFor();
  });
});

test("taking off the means of an invoice-receipt says that it stays paid", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const issue = await issuerFor(office, "Pronto Pago, Lda.");
    const payments = [{ amount: 21, method_code: "NU", payment_date: today() }];
    const { id } = await issue("FR", 21, { payments });
    await page.goto(`/area/documents/${id}`);
    await page.getByRole("button", { name: "Anular o pagamento de 21,00 €" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.innerText()).toContain("continua paga");
    expect(await dialog.innerText()).not.toContain("por pagar");
    await dialog.getByRole("button", { name: /^Anular pagamento/ }).click();
    await page.getByText("Está paga; não se indicou por que meio.").waitFor();
    await page.getByRole("button", { name: "Indicar meio de pagamento" }).click();
    await expect.poll(() => page.getByLabel(/^Valor recebido/).inputValue()).toBe("21,00");
    expect(await dialog.innerText()).not.toContain("falta pagar");
  });
});

test("a quotation says on its page and in the list how far it was invoiced", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const issue = await issuerFor(office, "Orçamentos, Lda.");
    const [open, part, whole] = [await issue("OR", 50), await issue("OR", 50), await issue("OR", 50)];
    await issue("FT", 20, { references: [{ document_id: part.id }] });
    const { id } = await issue("FT", 50, { references: [{ document_id: open.id }] });
    await office.send("POST", `/v1/documents/${id}/cancel`, { reason: "Engano" });
    for (const eur of [20, 30]) await issue("FR", eur, { references: [{ document_id: whole.id }] });
    await page.goto("/area/documents?doc_type=OR");
    for (const [{ id, number }, state] of [
      [open, "Emitido"],
      [part, "Faturado em parte"],
      [whole, "Faturado"],
    ] as const) {
      const row = page.getByRole("row", { name: number });
      await expect.poll(() => row.locator(".tags").innerText()).toBe(state);
      await page.goto(`/area/documents/${id}`);
      await expect.poll(() => page.locator("header .tags").first().innerText()).toBe(state);
      await page.goBack();
    }
  });
});

test("a person who cancels in a month that was sent is told to send it again", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const issue = await issuerFor(office, "Mês Fechado, Lda.");
    const { id } = await issue("FT", 10);
    const ask = async () => {
      await page.goto(`/area/documents/${id}`);
      await page.locator(".others").getByRole("button", { name: "Anular" }).click();
      return page.getByRole("dialog");
    };
    const before = await ask();
    await before.getByLabel("Motivo").waitFor();
    expect(await before.innerText()).not.toContain("já foi comunicado");
    await page.goto(`/area/saft?month=${today().slice(0, 7)}`);
    await page.getByRole("button", { name: "Marcar como comunicado" }).click();
    await page.getByRole("dialog").getByText("Este mês ainda não acabou").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Marcar como comunicado" }).click();
    await page.getByText("Marcado como comunicado.").waitFor();
    await (await ask()).getByText("já foi comunicado à AT: depois de anular").waitFor();
  });
});

test("a draft can be deleted from the list", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const issue = await issuerFor(office, "Indecisa, Lda.");
    await issue("FT", 10, { issue: false });
    await page.goto("/area/documents?status=draft");
    await page.getByRole("button", { name: "Apagar o rascunho para Indecisa, Lda." }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Apagar rascunho" }).click();
    await page.getByText("Nenhum documento corresponde").waitFor();
  });
});

test("a cashier is shown no act, figure or screen that is not theirs", async () => {
  const cashier = await addUser(home.shop, home.cookies, "cashier");
  const ids = await visit(home.shop.url, { cookies: home.cookies }, async ({ context }) => {
    const office = officeOf(context, home.shop.url);
    const issue = await issuerFor(office, "Do Dono, Lda.");
    const invoice = await issue("FT", 26.25);
    await pay(office, invoice, 26.25, "NU");
    return [invoice.id, (await issue("FT", 12)).id];
  });
  // Whatever is refused to them fails the visit: a screen asks for nothing that they may not read.
  await visit(home.shop.url, { cookies: cashier }, async ({ page }) => {
    await page.goto("/area");
    await page.getByRole("heading", { name: "Últimos documentos" }).waitFor();
    expect(await page.getByText(/Quem deve|IVA do|Vendas por mês/).count()).toBe(0);
    for (const path of [...ids.map((id) => `/documents/${id}`), "/payments", "/customers"]) {
      await page.goto(`/area${path}`);
      await page.locator("main .sheet").first().waitFor();
      await page.waitForFunction(() => !document.querySelector("main .loading"));
      expect(await page.locator("main").getByRole("button", { name: "Anular" }).count(), path).toBe(0);
    }
  });
  // The control: the owner is offered both.
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page }) => {
    await page.goto(`/area/documents/${ids[0]}`);
    const acts = page.locator("main").getByRole("button", { name: "Anular" });
    await expect.poll(() => acts.count()).toBe(2);
  });
});
