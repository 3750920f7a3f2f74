/** Customers: the list in its orders, and the page of one. */
import { expect, test } from "vitest";
import { visit } from "./support/browser.ts";
import { addUser, type Office, officeOf, useShop } from "./support/office.ts";

const home = useShop();

interface Made {
  readonly id: string;
  readonly number: string;
}

const makeCustomer = (office: Office, fields: Record<string, unknown>) =>
  office.send<Made>("POST", "/v1/customers", fields);

/** An invoice of today that comes to `eur`. */
async function invoice(office: Office, customer_id: string, eur: number): Promise<Made> {
  const { data } = await office.read<{ data: readonly { id: string }[] }>("/v1/series?doc_type=FT&current=true");
  return office.send("POST", "/v1/documents", {
    doc_type: "FT",
    series_id: data[0]?.id,
    issue_date: today(),
    customer_id,
    lines: [{ description: "Bolo", qty: 1, unit_price_gross: eur, tax_rate: 23 }],
    issue: true,
  });
}

/** Today in Lisbon. */
const today = () => new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Lisbon" }).format();

const plain = (text: string) => text.replaceAll("\u00a0", " ");

test("customers are listed by name, the newest first, or who owes most first", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    for (const [name, eur] of [
      ["Zulmira", 10],
      ["Álvaro", 30],
      ["ana", 0],
      ["Bento", 20],
    ] as const) {
      const { id } = await makeCustomer(office, { name });
      if (eur > 0) await invoice(office, id, eur);
    }
    const names = () => page.locator("tbody th a").allInnerTexts();
    await page.goto("/area/customers");
    const sort = page.getByRole("combobox", { name: "Ordenar" });
    await expect.poll(names).toEqual(["Álvaro", "ana", "Bento", "Zulmira"]);
    await sort.selectOption("Mais recentes primeiro");
    await expect.poll(names).toEqual(["Bento", "ana", "Álvaro", "Zulmira"]);
    await sort.selectOption("Quem deve, do maior para o menor");
    await expect.poll(names).toEqual(["Álvaro", "Bento", "Zulmira"]);
    await page.reload();
    await expect.poll(names).toEqual(["Álvaro", "Bento", "Zulmira"]);
    await page.getByRole("searchbox").fill("an");
    await expect.poll(names).toEqual(["ana"]);
  });
});

test("a customer's page shows their details, debts, documents and payments, and begins a document for them", async () => {
  await visit(home.shop.url, { cookies: home.cookies }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    await page.goto("/area/customers");
    await page.getByRole("button", { name: "Novo cliente" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Nome").fill("Padaria do Bairro");
    await dialog.getByLabel("NIF").fill("123456789");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Padaria do Bairro" }).waitFor();
    await page.getByText("Ainda não tem documentos.").waitFor();
    await page.getByText("Não deve nada.").waitFor();
    const id = new URL(page.url()).pathname.split("/").at(-1) as string;

    const paid = await invoice(office, id, 100);
    const owed = await invoice(office, id, 30);
    const payment = { amount: 100, method_code: "MB", payment_date: today() };
    await office.send("POST", `/v1/documents/${paid.id}/payments`, payment);
    await page.reload();
    await page.getByText("NIF 123456789").waitFor();
    const account = page.locator("section", { hasText: "Conta" });
    await account.waitFor();
    expect(plain(await account.innerText())).toContain("Deve 30,00 €, em 1 documento, desde");
    await page.getByRole("table", { name: "Documentos" }).getByRole("link", { name: owed.number }).waitFor();
    const payments = page.getByRole("table", { name: "Últimos pagamentos" });
    await payments.getByRole("row", { name: paid.number }).filter({ hasText: "100,00" }).waitFor();

    await page.getByRole("button", { name: "Alterar" }).click();
    await dialog.getByLabel("E-mail").fill("bairro@example.com");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "bairro@example.com" }).waitFor();
    await page.getByRole("button", { name: "Alterar" }).click();
    await dialog.getByLabel("Recebe lembretes de pagamento por e-mail").uncheck();
    await page.keyboard.press("Enter");
    await page.getByText("Não recebe lembretes de pagamento.").waitFor();
    expect(await office.read(`/v1/customers/${id}`)).toMatchObject({ reminders: false });

    await page.getByRole("link", { name: "Novo documento" }).last().click();
    await expect.poll(() => page.getByLabel(/^Cliente/).inputValue()).toBe("Padaria do Bairro");
    await page.goto(`/area/documents/${owed.id}`);
    await page.getByRole("link", { name: "Padaria do Bairro" }).click();
    await page.getByRole("link", { name: "Ver na lista de documentos" }).click();
    await expect.poll(() => page.locator("tbody tr").count()).toBe(2);
  });
});

test("a cashier sees a customer's documents, and no account", async () => {
  const cashier = await addUser(home.shop, home.cookies, "cashier");
  await visit(home.shop.url, { cookies: cashier }, async ({ page, context }) => {
    const office = officeOf(context, home.shop.url);
    const { id } = await makeCustomer(office, { name: "Olga Reis" });
    const { number } = await invoice(office, id, 5);
    await page.goto(`/area/customers/${id}`);
    await page.getByRole("link", { name: number }).waitFor();
    expect(await page.getByText("Conta", { exact: true }).count()).toBe(0);
    await page.goto("/area/customers");
    await page.getByRole("rowheader", { name: "Olga Reis" }).waitFor();
    expect(await page.getByRole("option", { name: /^Quem deve/ }).count()).toBe(0);
  });
});
